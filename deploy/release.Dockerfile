# The image of a release: one file of it, and nothing else but libc. Built in the release's folder, for each platform:
# docker buildx build --platform linux/amd64,linux/arm64 --build-arg BASE=…@sha256:… --build-arg SOURCE_DATE_EPOCH=0
#   --output type=oci,dest=holdfast.tar,rewrite-timestamp=true .
# With a base that is pinned by digest, and without a time, whoever has the same files makes the same image.
ARG BASE=gcr.io/distroless/base-debian12:nonroot
ARG TARGETARCH

FROM ${BASE} AS release-amd64
COPY --chmod=0755 holdfast-linux-x64 /usr/local/bin/holdfast

FROM ${BASE} AS release-arm64
COPY --chmod=0755 holdfast-linux-arm64 /usr/local/bin/holdfast

FROM release-${TARGETARCH}
# An empty folder of the release, so that a new volume belongs to the user from the beginning.
COPY --chown=65532:65532 data /var/lib/holdfast
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/var/lib/holdfast
USER 65532:65532
VOLUME ["/var/lib/holdfast"]
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/usr/local/bin/holdfast", "health"]
ENTRYPOINT ["/usr/local/bin/holdfast"]
CMD ["serve"]
