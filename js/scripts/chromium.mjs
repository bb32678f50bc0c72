// Where the tests find a browser: that of the system, because Playwright's own would have to be downloaded.
import { existsSync } from 'node:fs'

/** The path of Chromium; undefined if it is not installed. */
export const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
