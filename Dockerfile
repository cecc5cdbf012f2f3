# The one file that serves, in an image with nothing else in it: no shell, no package manager, nobody but its user.
# Pin both images by digest where the image is to be built again and come out the same.

FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY tsconfig.json ./
COPY scripts ./scripts
COPY generated ./generated
COPY src ./src
RUN npm run build
# Copied below, so that a new volume belongs to the user from the beginning.
RUN mkdir -m 0700 /empty

FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /build/dist/holdfast /usr/local/bin/holdfast
COPY --from=build --chown=65532:65532 /empty /var/lib/holdfast
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/var/lib/holdfast
USER 65532:65532
VOLUME ["/var/lib/holdfast"]
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/usr/local/bin/holdfast", "health"]
ENTRYPOINT ["/usr/local/bin/holdfast"]
CMD ["serve"]
