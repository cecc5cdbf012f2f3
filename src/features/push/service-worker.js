// @ts-check

// Shows push messages. Handles no requests and stores nothing.

/** The page of each kind of message. */
const PAGES = {
  signature_asked: "/requests",
  signed_in: "/account",
  signing_refused: "/account/audit",
};

const REQUEST_ID = /^signing_[0-9a-v]{26}$/;

/**
 * Returns the path to open for a message: one of those above, or a signing request below it.
 * @param {{ kind?: unknown, requestId?: unknown }} message
 */
export function pathOf({ kind, requestId }) {
  const page = Object.hasOwn(PAGES, String(kind)) ? /** @type {any} */ (PAGES)[String(kind)] : "/account";
  const id = String(requestId);
  return page === PAGES.signature_asked && REQUEST_ID.test(id) ? `${page}/${id}` : page;
}

/** @type {any} */
const worker = self;

worker.addEventListener("push", (/** @type {any} */ event) => {
  const message = event.data.json();
  const { kind, requestId, program, title, text } = message;
  // A message replaces the one before of its kind and program, except requests: each waits for its own answer.
  const tag = `${kind} ${requestId ?? program}`;
  event.waitUntil(
    worker.registration.showNotification(String(title), {
      body: String(text),
      tag,
      data: pathOf(message),
    }),
  );
});

/**
 * Opens a page, or shows the window that has it open: another window may have unsent input.
 * @param {string} path
 */
async function openPage(path) {
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = windows.find((/** @type {any} */ { url }) => new URL(url).pathname === path);
  await (open ? open.focus() : worker.clients.openWindow(path));
}

worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data));
});
