import type { newDeviceMailWords as English } from "../en/new-device.ts";

export const newDeviceMailWords: typeof English = {
  subject: "Neue Anmeldung in Ihrem Konto",
  news: (place) => `Jemand hat sich von einem Gerät, das Ihr Konto nicht kannte, angemeldet: ${place}.`,
  next:
    "Wenn Sie das waren, ist nichts zu tun. Wenn nicht, beenden Sie die Sitzung, und sehen Sie Ihre Passkeys durch:",
};
