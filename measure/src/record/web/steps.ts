/**
 * What a steps file gets: a page to act on as a user does, with real input events. Nothing of ours runs in the page's
 * own world, except what `evaluate` is given.
 *
 * @example
 * // steps.mjs
 * export default async function ({ page }) {
 *   await page.click('button.add')
 *   await page.type('#title', 'milk')
 *   await page.press('Enter')
 *   await page.waitFor('li:nth-child(3)')
 * }
 */
import { MeasureError } from '../../format/error.ts'
import type { Cdp } from './cdp.ts'
import { loadError } from './load_error.ts'

/** Scripts of ours carry this as their source's name, and are left out of the trace. */
export const SOURCE = '\n//# sourceURL=charcoal-measure:steps'

export interface StepsContext {
  page: Page
  /** The browser's debugging endpoint, for other drivers: `chromium.connectOverCDP(endpoint)`. */
  endpoint: string
  /** Aborted when recording stops. */
  signal: AbortSignal
  log(text: string): void
}

interface Key {
  code: string
  key: string
  windowsVirtualKeyCode: number
  text?: string
}

/** Keys whose code is their name, with the numbers that browsers have for them. */
const NUMBERS = {
  Enter: 13,
  Tab: 9,
  Escape: 27,
  Backspace: 8,
  Delete: 46,
  ArrowUp: 38,
  ArrowDown: 40,
  ArrowLeft: 37,
  ArrowRight: 39,
  Home: 36,
  End: 35,
  PageUp: 33,
  PageDown: 34,
  Space: 32,
  F1: 112,
}
const TEXTS: Record<string, string> = { Enter: '\r', Space: ' ' }

const keys: Record<string, Key> = Object.fromEntries(
  Object.entries(NUMBERS).map(([code, windowsVirtualKeyCode]) => {
    const text = TEXTS[code]
    const key = code === 'Space' ? ' ' : code
    return [code, { code, key, windowsVirtualKeyCode, ...(text !== undefined && { text }) }]
  }),
)

const modifiers: Record<string, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 }

export class Page {
  /** Every wait ends after so many milliseconds. */
  timeout = 15_000
  /** A page has so many milliseconds to load, or `timeout` if that is more. */
  private readonly loadTimeout: number
  private readonly cdp: Cdp
  private readonly session: string
  private readonly signal: AbortSignal
  private x = 0
  private y = 0

  constructor(cdp: Cdp, session: string, signal: AbortSignal, loadTimeout: number) {
    this.loadTimeout = loadTimeout
    this.cdp = cdp
    this.session = session
    this.signal = signal
  }

  /** Loads another page in place of this one; settles when it has loaded. */
  async goto(url: string): Promise<void> {
    const loaded = new Promise<void>((done) => {
      const undo = this.cdp.on('Page.loadEventFired', () => (undo(), done()), this.session)
    })
    const { errorText } = await this.send('Page.navigate', { url })
    if (errorText) throw loadError(url, errorText)
    await this.within(loaded, `the page ${url} to load`, Math.max(this.timeout, this.loadTimeout))
  }

  /**
   * Clicks the middle of the first element that the selector finds, or whose visible text is `text=…`. Frames of the
   * same origin and open shadow roots are searched, too.
   */
  async click(selector: string, options: { count?: number; button?: 'left' | 'right' | 'middle' } = {}): Promise<void> {
    const { x, y } = await this.find(selector)
    await this.mouse(x, y, options)
  }

  async doubleClick(selector: string): Promise<void> {
    await this.click(selector, { count: 2 })
  }

  /** Moves the pointer there, in a few steps. */
  async hover(selector: string): Promise<void> {
    const { x, y } = await this.find(selector)
    await this.move(x, y)
  }

  /** Presses and releases a button at a place, CSS pixels. */
  async mouse(
    x: number,
    y: number,
    { count = 1, button = 'left' }: { count?: number; button?: 'left' | 'right' | 'middle' } = {},
  ): Promise<void> {
    await this.move(x, y)
    for (let clickCount = 1; clickCount <= count; clickCount++) {
      await this.send('Input.dispatchMouseEvent', { type: 'mousePressed', x, y, button, buttons: 1, clickCount })
      await this.send('Input.dispatchMouseEvent', { type: 'mouseReleased', x, y, button, buttons: 0, clickCount })
    }
  }

  async move(x: number, y: number, steps = 4): Promise<void> {
    for (let i = 1; i <= steps; i++)
      await this.send('Input.dispatchMouseEvent', {
        type: 'mouseMoved',
        x: this.x + ((x - this.x) * i) / steps,
        y: this.y + ((y - this.y) * i) / steps,
      })
    this.x = x
    this.y = y
  }

  /** Drags from one place to another with the left button. */
  async drag(from: { x: number; y: number }, to: { x: number; y: number }, steps = 10): Promise<void> {
    await this.move(from.x, from.y)
    await this.send('Input.dispatchMouseEvent', {
      type: 'mousePressed',
      x: from.x,
      y: from.y,
      button: 'left',
      buttons: 1,
      clickCount: 1,
    })
    for (let i = 1; i <= steps; i++) {
      const x = from.x + ((to.x - from.x) * i) / steps
      const y = from.y + ((to.y - from.y) * i) / steps
      await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y, button: 'left', buttons: 1 })
    }
    await this.send('Input.dispatchMouseEvent', {
      type: 'mouseReleased',
      x: to.x,
      y: to.y,
      button: 'left',
      buttons: 0,
      clickCount: 1,
    })
    this.x = to.x
    this.y = to.y
  }

  /** Turns the wheel over an element, or where the pointer is. */
  async scroll(deltaY: number, selector?: string): Promise<void> {
    if (selector !== undefined) await this.hover(selector)
    await this.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: this.x, y: this.y, deltaX: 0, deltaY })
  }

  /** Types into what has the focus, or into an element that is clicked first; `delay` milliseconds between keys. */
  async type(selector: string | null, text: string, delay = 20): Promise<void> {
    if (selector !== null) await this.click(selector)
    for (const c of text) {
      if (c === '\n') await this.press('Enter')
      else {
        const upper = c.toUpperCase()
        const code = /[A-Z]/.test(upper) ? `Key${upper}` : /[0-9]/.test(c) ? `Digit${c}` : ''
        const key = { key: c, code, windowsVirtualKeyCode: /[A-Z0-9 ]/.test(upper) ? upper.charCodeAt(0) : 0 }
        await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...key, text: c })
        await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
      }
      if (delay > 0) await this.sleep(delay)
    }
  }

  /** A key, or a combination: `Control+Shift+P`. */
  async press(combination: string): Promise<void> {
    const parts = combination.split('+')
    const name = parts.pop()!
    const held = parts.reduce((sum, m) => sum | (modifiers[m] ?? 0), 0)
    const upper = name.toUpperCase()
    const key = keys[name] ?? {
      code: /[A-Z]/.test(upper) ? `Key${upper}` : `Digit${name}`,
      key: held & 8 ? upper : name,
      windowsVirtualKeyCode: upper.charCodeAt(0),
      ...(held & ~8 ? {} : { text: name }),
    }
    await this.send('Input.dispatchKeyEvent', {
      type: key.text === undefined ? 'rawKeyDown' : 'keyDown',
      modifiers: held,
      ...key,
      ...(key.text !== undefined && { unmodifiedText: key.text }),
    })
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', modifiers: held, ...key, text: undefined })
  }

  /** Until the selector finds something visible. */
  async waitFor(selector: string): Promise<void> {
    await this.find(selector)
  }

  /** Until there is nothing visible any more that the selector finds. */
  async waitForNo(selector: string): Promise<void> {
    await this.poll(async () => (await this.look(selector)) === null || undefined, `${selector} to go away`)
  }

  /** Until a function of the page's own world gives a true value. */
  async waitForFunction(f: string | (() => unknown)): Promise<void> {
    await this.poll(async () => Boolean(await this.evaluate(f)) || undefined, 'the condition')
  }

  /** True if something visible is found now. */
  async visible(selector: string): Promise<boolean> {
    return (await this.look(selector)) !== null
  }

  /**
   * Runs a function in the page's own world; its result must be JSON. What it does itself is not in the trace, what it
   * starts is.
   */
  async evaluate<T>(f: string | ((...args: any[]) => T), ...args: unknown[]): Promise<T> {
    const expression = typeof f === 'string' ? f : `(${String(f)})(...${JSON.stringify(args)})`
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression: expression + SOURCE,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    })
    if (exceptionDetails !== undefined)
      throw new MeasureError(`evaluate: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`, 6)
    return result.value
  }

  /** Ends early when recording stops. */
  sleep(ms: number): Promise<void> {
    return new Promise((done, fail) => {
      if (this.signal.aborted) return fail(new Stopped())
      const abort = (): void => {
        clearTimeout(timer)
        fail(new Stopped())
      }
      const timer = setTimeout(() => {
        this.signal.removeEventListener('abort', abort)
        done()
      }, ms)
      this.signal.addEventListener('abort', abort, { once: true })
    })
  }

  /** A picture of the page, PNG. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' })
    return Buffer.from(data, 'base64')
  }

  private async find(selector: string): Promise<{ x: number; y: number }> {
    return this.poll(async () => (await this.look(selector)) ?? undefined, `${selector} to appear`)
  }

  private async look(selector: string): Promise<{ x: number; y: number } | null> {
    const { result } = await this.send('Runtime.evaluate', {
      expression: `(${String(locate)})(${JSON.stringify(selector)})${SOURCE}`,
      returnByValue: true,
    }).catch((error) => {
      if (this.signal.aborted) throw error
      // Between two documents there is no document to look in.
      return { result: { value: null } }
    })
    return result.value ?? null
  }

  private async poll<T>(f: () => Promise<T | undefined>, what: string): Promise<T> {
    for (const until = Date.now() + this.timeout; ;) {
      const found = await f()
      if (found !== undefined) return found
      if (Date.now() > until) throw new MeasureError(`waited ${this.timeout / 1000} s in vain for ${what}`, 6)
      await this.sleep(100)
    }
  }

  private async within(promise: Promise<void>, what: string, timeout = this.timeout): Promise<void> {
    const timer = this.sleep(timeout).then(() => {
      throw new MeasureError(`waited ${timeout / 1000} s in vain for ${what}`, 6)
    })
    await Promise.race([promise, timer])
    timer.catch(() => {})
  }

  private send(method: string, params: object): Promise<any> {
    if (this.signal.aborted) return Promise.reject(new Stopped())
    return this.cdp.send(method, params, this.session, Math.max(30_000, this.timeout))
  }
}

/** Recording has stopped, so the steps do, too. */
export class Stopped extends Error {
  override readonly message = 'recording has stopped'
}

/** In the page: the middle of the first visible element, scrolled into view. Its text is what runs. */
function locate(selector: string): { x: number; y: number } | null {
  const text = selector.startsWith('text=') ? selector.slice(5) : null
  const search = (root: Document | ShadowRoot, dx: number, dy: number): { x: number; y: number } | null => {
    const candidates = [...root.querySelectorAll(text === null ? selector : '*')] as HTMLElement[]
    for (const element of candidates) {
      if (
        text !== null &&
        !(
          element.children.length === 0 ||
          [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent!.trim() !== '')
        )
      )
        continue
      if (text !== null && (element.textContent ?? '').trim() !== text) continue
      let box = element.getBoundingClientRect()
      if (box.width === 0 || box.height === 0 || getComputedStyle(element).visibility === 'hidden') continue
      if (box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth) {
        element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
        box = element.getBoundingClientRect()
      }
      return { x: dx + box.left + box.width / 2, y: dy + box.top + box.height / 2 }
    }
    for (const element of root.querySelectorAll('*')) {
      const inner = element.shadowRoot ?? (element instanceof HTMLIFrameElement ? element.contentDocument : null)
      if (inner === null) continue
      const box = element instanceof HTMLIFrameElement ? element.getBoundingClientRect() : { left: 0, top: 0 }
      const found = search(inner, dx + box.left, dy + box.top)
      if (found !== null) return found
    }
    return null
  }
  return search(document, 0, 0)
}
