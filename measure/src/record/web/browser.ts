/** Finds and starts a Chromium with a profile of its own, which is removed when it has ended. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { globSync } from './glob.ts'
import { MeasureError } from '../../format/error.ts'
import { atExit } from '../cleanup.ts'
import { ifKilled } from '../if_killed.ts'
import { Cdp } from './cdp.ts'

export interface Browser {
  cdp: Cdp
  /** The debugging endpoint, for other clients. */
  endpoint: string
  version: string
  /** Ends it and removes its profile. */
  close(): Promise<void>
}

export interface BrowserOptions {
  /** Path of the browser. Default: `CHROMIUM`, `CHROME_PATH`, then the usual places. */
  browser?: string
  headless?: boolean
  /** Further arguments for it. */
  args?: string[]
}

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
  'msedge',
  'brave-browser',
]

export function findBrowser(wanted = process.env.CHROMIUM ?? process.env.CHROME_PATH): string {
  if (wanted !== undefined) {
    if (existsSync(wanted) && statSync(wanted).isFile()) return wanted
    const found = onPath(wanted)
    if (found !== undefined) return found
    throw new MeasureError(`the browser ${wanted} does not exist; give the path of a Chromium, Chrome or Edge`, 4)
  }
  for (const name of NAMES) {
    const found = onPath(name)
    if (found !== undefined) return found
  }
  const home = homedir()
  const places = [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    ...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((v) =>
      process.env[v] === undefined
        ? []
        : [
            path.join(process.env[v], 'Google/Chrome/Application/chrome.exe'),
            path.join(process.env[v], 'Microsoft/Edge/Application/msedge.exe'),
          ],
    ),
    ...globSync(path.join(home, '.cache/ms-playwright'), 'chromium-', ['chrome-linux/chrome', 'chrome-linux64/chrome']),
    ...globSync(path.join(home, '.cache/puppeteer/chrome'), '', ['chrome-linux64/chrome']),
  ]
  const found = places.find((p) => existsSync(p))
  if (found !== undefined) return found
  throw new MeasureError(
    'no browser found (Chromium, Chrome or Edge, version 120 or later). Install one: `apt-get install chromium`, ' +
      '`brew install --cask chromium` or `npx playwright install chromium`; or name one with --browser PATH or the ' +
      'variable CHROMIUM',
    4,
  )
}

function onPath(name: string): string | undefined {
  if (name.includes('/')) return undefined
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .map((dir) => path.join(dir, name))
    .find((file) => existsSync(file) && statSync(file).isFile())
}

export async function startBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const file = findBrowser(options.browser)
  const profile = mkdtempSync(path.join(tmpdir(), 'charcoal-browser-'))
  const args = [
    ...(options.headless === false ? [] : ['--headless=new']),
    `--user-data-dir=${profile}`,
    '--remote-debugging-port=0',
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-extensions',
    '--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider',
    '--metrics-recording-only',
    '--password-store=basic',
    '--use-mock-keychain',
    '--window-size=1280,800',
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ...(options.args ?? []),
    'about:blank',
  ]
  // A group of its own: Ctrl-C is for us, and ends the browser after what was recorded has been fetched.
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  let said = ''
  child.stderr!.on('data', (data) => (said = (said + String(data)).slice(-4000)))
  // This is also done if this process ends before the browser has, as at a second Ctrl-C.
  const dismiss = guard(child, profile)
  const removed = atExit(() => {
    killGroup(child)
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    dismiss()
  })
  const close = async (): Promise<void> => {
    await ended(child)
    removed()
  }
  try {
    const endpoint = await debuggingPort(child, profile, () => said, file)
    const browser = await connectBrowser(endpoint)
    const { cdp } = browser
    return {
      ...browser,
      async close() {
        await Promise.race([cdp.send('Browser.close').catch(() => {}), new Promise((done) => setTimeout(done, 3000))])
        await Promise.race([cdp.closed, new Promise((done) => setTimeout(done, 3000))])
        cdp.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A browser that runs already, and goes on. */
export async function connectBrowser(endpoint: string): Promise<Browser> {
  const cdp = await Cdp.connect(endpoint)
  const { product } = await cdp.send('Browser.getVersion')
  return {
    cdp,
    endpoint,
    version: product,
    async close() {
      cdp.close()
      await cdp.closed
    },
  }
}

/**
 * Ends the browser and removes its profile if this process is killed and can do neither. It tries for 10 s, because
 * processes that are ending may still write files. The result dismisses it.
 */
function guard({ pid }: ChildProcess, profile: string): () => void {
  if (pid === undefined) return () => {}
  const script =
    'n=0; while [ -e "$2" ] && [ $n -lt 100 ]; do kill -KILL "-$1"; rm -rf -- "$2"; n=$((n + 1)); sleep 0.1; done'
  return ifKilled(script, [String(pid), profile])
}

/** The browser's whole group: its helpers, too. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The browser has ended already.
  }
}

/** Gives the browser a second to end by itself. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return
  if (child.exitCode === null && child.signalCode === null) {
    const exit = new Promise((done) => child.once('exit', done))
    await Promise.race([exit, new Promise((done) => setTimeout(done, 1000))])
  }
  killGroup(child)
}

async function debuggingPort(child: ChildProcess, profile: string, said: () => string, file: string): Promise<string> {
  let failed: Error | undefined
  child.on('error', (error) => (failed = error))
  const portFile = path.join(profile, 'DevToolsActivePort')
  for (let waited = 0; waited < 30_000; waited += 50) {
    if (failed !== undefined) throw new MeasureError(`the browser ${file} could not be started: ${failed.message}`, 4)
    if (child.exitCode !== null)
      throw new MeasureError(
        `the browser ${file} ended at once (status ${child.exitCode}): ` +
          `${said().trim().split('\n').slice(-3).join(' | ')}`,
        4,
      )
    if (existsSync(portFile)) {
      const [port, address] = readFileSync(portFile, 'utf8').split('\n')
      if (port && address) return `ws://127.0.0.1:${port}${address}`
    }
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new MeasureError(`the browser ${file} did not open its debugging port within 30 s`, 4)
}
