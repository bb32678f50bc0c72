/**
 * Runs in every page, frame and worker before its own scripts, and closes the gaps of the trace: callbacks for which
 * the browser records no flow from registration to run. Each registration and each run leaves a time stamp
 * (`console.timeStamp`), which the converter joins:
 *
 *     charcoal:s:ID:RECURRING:KIND     registered here
 *     charcoal:r:ID                    runs now
 *
 * Covered: MessagePort, WebSocket, EventSource, BroadcastChannel, load/error/toggle of elements, service worker
 * containers, RTC, media queries, resize, intersection, performance and reporting observers, Web Locks, functions that
 * take callbacks. The parent of a message between two ports of one realm is the sender; of all others, whoever set the
 * listener.
 *
 * Self-contained: its source text is what the page gets.
 */
export function shim(): void {
  const g = globalThis as any
  const mark = Symbol.for('charcoal.measure')
  if (g[mark] !== undefined || typeof console?.timeStamp !== 'function') return
  // The page may replace the language's own, its maps' methods too.
  const { apply, getOwnPropertyDescriptor, ownKeys } = Reflect
  const { defineProperty, setPrototypeOf } = Object
  defineProperty(g, mark, { value: true })
  const withOwnMethods = <C extends new (...args: any[]) => object>(Class: C): C => {
    const Own = class extends Class {}
    for (const key of ownKeys(Class.prototype))
      if (key !== 'constructor') defineProperty(Own.prototype, key, getOwnPropertyDescriptor(Class.prototype, key)!)
    setPrototypeOf(Own.prototype, null)
    return Own
  }
  const OwnMap = withOwnMethods(Map)
  const OwnSet = withOwnMethods(Set)
  const OwnWeakMap = withOwnMethods(WeakMap)
  const text = String
  const { slice } = ''
  const { timeStamp } = console
  const stamp = (said: string): void => apply(timeStamp, console, [said])
  const realm = `${Math.round(performance.timeOrigin % 1e7)}${Math.round(performance.now() * 1000)}`
  let last = 0
  const scheduled = (kind: string, recurring: boolean): string => {
    const id = `${realm}.${++last}`
    stamp(`charcoal:s:${id}:${recurring ? 1 : 0}:${kind}`)
    return id
  }
  const ran = (id: string): void => stamp(`charcoal:r:${id}`)

  // Messages between two ports of this realm: the receiver's queue has the sender's registrations.
  const peers = new OwnWeakMap<object, object>()
  /** Entries have numbers; the next to be taken is `first`. */
  interface Queue {
    first: number
    next: number
    entries: Map<number, string>
  }
  const queues = new OwnWeakMap<object, Queue>()
  const define = (object: any, name: string, value: unknown): void => {
    const old = getOwnPropertyDescriptor(object, name)
    defineProperty(object, name, {
      configurable: true,
      enumerable: old?.enumerable ?? false,
      writable: true,
      value,
    })
  }
  if (g.MessageChannel !== undefined) {
    const Native = g.MessageChannel
    const wrapped = class MessageChannel extends Native {
      constructor() {
        super()
        const { port1, port2 } = this as any
        peers.set(port1, port2)
        peers.set(port2, port1)
      }
    }
    define(g, 'MessageChannel', wrapped)
    const post = g.MessagePort.prototype.postMessage
    define(g.MessagePort.prototype, 'postMessage', function postMessage(this: object, ...args: unknown[]) {
      const peer = peers.get(this)
      if (peer !== undefined) {
        let queue = queues.get(peer)
        if (queue === undefined) queues.set(peer, (queue = { first: 0, next: 0, entries: new OwnMap() }))
        // A peer that was moved elsewhere never takes its entries, so the queue has a limit.
        if (queue.entries.size < 100_000) queue.entries.set(queue.next++, scheduled('message-port', false))
      }
      return apply(post, this, args)
    })
  }

  const once = new OwnSet(['load', 'error', 'open', 'close', 'loadend', 'complete', 'abort'])
  const targets: [string, string][] = [
    ['MessagePort', 'message-port'],
    ['WebSocket', 'websocket'],
    ['EventSource', 'event-source'],
    ['BroadcastChannel', 'broadcast'],
    ['RTCPeerConnection', 'rtc'],
    ['RTCDataChannel', 'rtc'],
    ['ServiceWorkerContainer', 'worker-message'],
    ['ServiceWorker', 'service-worker'],
    ['ServiceWorkerRegistration', 'service-worker'],
    ['SharedWorker', 'worker-message'],
    ['MediaQueryList', 'event:media'],
    ['MediaRecorder', 'event:recorder'],
    ['IDBTransaction', 'indexeddb'],
  ]
  const classes = targets
    .filter(([name]) => typeof g[name] === 'function')
    .map(([name, kind]): { Class: any; kind: string } => ({ Class: g[name], kind }))
  const elementTypes = new OwnSet(['load', 'error', 'toggle'])
  const { Element } = g
  const kindOf = (target: unknown, type: string): string | undefined => {
    for (let i = 0; i < classes.length; i++) if (target instanceof classes[i].Class) return classes[i].kind
    return Element !== undefined && target instanceof Element && elementTypes.has(type) ? `event:${type}` : undefined
  }
  // Beside each listener stands one of ours, just before it, which leaves the stamp; the page's own functions stay as
  // they are.
  const taken = new OwnWeakMap<object, Event>()
  const entryOf = (target: object): string | undefined => {
    const queue = queues.get(target)
    const entry = queue?.entries.get(queue.first)
    if (entry !== undefined) queue!.entries.delete(queue!.first++)
    return entry
  }
  const witness = (target: object, type: string, kind: string): ((event: Event) => void) => {
    const id = scheduled(kind, !once.has(type))
    return (event) => {
      // All listeners of one message take the same entry: the event, not the call, is the run.
      if (taken.get(target) === event) return
      taken.set(target, event)
      ran((type === 'message' ? entryOf(target) : undefined) ?? id)
    }
  }

  const slot = (type: string, options: any): string =>
    `${typeof options === 'boolean' ? options : !!options?.capture}${type}`
  const target = g.EventTarget.prototype
  const { addEventListener: add, removeEventListener: remove } = target
  const witnesses = new OwnWeakMap<object, WeakMap<object, Map<string, (event: Event) => void>>>()
  define(target, 'addEventListener', function addEventListener(this: any, type: any, listener: any, options: any) {
    const kind =
      typeof listener === 'function' || (typeof listener === 'object' && listener !== null)
        ? kindOf(this, text(type))
        : undefined
    if (kind !== undefined) {
      let table = witnesses.get(this)
      if (table === undefined) witnesses.set(this, (table = new OwnWeakMap()))
      let slots = table.get(listener)
      if (slots === undefined) table.set(listener, (slots = new OwnMap()))
      const key = slot(text(type), options)
      if (!slots.has(key)) {
        const ours = witness(this, text(type), kind)
        slots.set(key, ours)
        apply(add, this, [type, ours, options])
      }
    }
    return apply(add, this, [type, listener, options])
  })
  define(
    target,
    'removeEventListener',
    function removeEventListener(this: any, type: any, listener: any, options: any) {
      const slots = listener === null || listener === undefined ? undefined : witnesses.get(this)?.get(listener)
      const key = slot(text(type), options)
      const ours = slots?.get(key)
      if (ours !== undefined) {
        slots!.delete(key)
        apply(remove, this, [type, ours, options])
      }
      return apply(remove, this, [type, listener, options])
    },
  )

  const handlers = new OwnWeakMap<object, Map<string, (event: Event) => void>>()
  const property = (prototype: any, name: string): void => {
    const descriptor = getOwnPropertyDescriptor(prototype, name)
    if (descriptor?.set === undefined || descriptor.configurable !== true) return
    const type = name.slice(2)
    defineProperty(prototype, name, {
      ...descriptor,
      set(this: any, given: any) {
        let kept = handlers.get(this)
        if (kept === undefined) handlers.set(this, (kept = new OwnMap()))
        const old = kept.get(type)
        if (old !== undefined) {
          kept.delete(type)
          apply(remove, this, [type, old])
        }
        const kind = typeof given === 'function' ? kindOf(this, type) : undefined
        if (kind !== undefined) {
          const ours = witness(this, type, kind)
          kept.set(type, ours)
          apply(add, this, [type, ours])
        }
        apply(descriptor.set!, this, [given])
      },
    })
  }
  for (const { Class } of classes)
    for (const name of Object.getOwnPropertyNames(Class.prototype))
      if (name.startsWith('on')) property(Class.prototype, name)
  if (g.HTMLElement !== undefined) for (const type of elementTypes) property(g.HTMLElement.prototype, `on${type}`)

  for (const [name, kind] of [
    ['ResizeObserver', 'resize'],
    ['IntersectionObserver', 'intersection'],
    ['PerformanceObserver', 'performance'],
    ['ReportingObserver', 'reporting'],
  ]) {
    const Native = g[name]
    if (typeof Native !== 'function') continue
    const wrapped = class extends Native {
      constructor(callback: any, options: unknown) {
        if (typeof callback !== 'function') {
          super(callback, options)
          return
        }
        const id = scheduled(`observer:${kind}`, true)
        super(function (this: unknown, ...args: unknown[]) {
          ran(id)
          return apply(callback, this, args)
        }, options)
      }
    }
    defineProperty(wrapped, 'name', { value: name })
    define(g, name, wrapped)
  }

  // Functions that take callbacks: class, method, places of the callbacks (-1: the last argument), kind, whether they
  // run again and again.
  const methods: [string, string, number[], string, boolean][] = [
    ['LockManager', 'request', [-1], 'lock', false],
    ['HTMLCanvasElement', 'toBlob', [0], 'callback', false],
    ['HTMLVideoElement', 'requestVideoFrameCallback', [0], 'animation-frame', false],
    ['Geolocation', 'getCurrentPosition', [0, 1], 'callback', false],
    ['Geolocation', 'watchPosition', [0, 1], 'callback', true],
    ['DataTransferItem', 'getAsString', [0], 'callback', false],
    ['FileSystemDirectoryReader', 'readEntries', [0, 1], 'callback', false],
    ['FileSystemFileEntry', 'file', [0, 1], 'callback', false],
    ['BaseAudioContext', 'decodeAudioData', [1, 2], 'callback', false],
    ['Document', 'startViewTransition', [0], 'callback', false],
  ]
  for (const [name, method, places, kind, recurring] of methods) {
    const prototype = g[name]?.prototype
    const native = prototype?.[method]
    if (typeof native !== 'function') continue
    define(prototype, method, function (this: unknown, ...args: any[]) {
      const id = scheduled(kind, recurring)
      for (let i = 0; i < places.length; i++) {
        const at = places[i] === -1 ? args.length - 1 : places[i]
        const callback = args[at]
        if (typeof callback === 'function')
          args[at] = function (this: unknown, ...given: unknown[]) {
            ran(id)
            return apply(callback, this, given)
          }
      }
      return apply(native, this, args)
    })
  }

  // Activities and atomic blocks of the JavaScript library, which looks for this tracer when it is loaded:
  //     charcoal:a:N:PARENT:NAME   charcoal:b:N   charcoal:p:N:ENDED   charcoal:e:N:BLOCK   charcoal:l:BLOCK
  // an activity is made; it begins to run, pauses; it enters an atomic block, a block is left.
  const numbers = new OwnWeakMap<object, number>()
  let lastActivity = 0
  let lastBlock = 0
  let running = 0
  /** The open blocks of each activity, innermost first. */
  interface OpenBlock {
    block: number
    outer: OpenBlock | undefined
  }
  const open = new OwnMap<number, OpenBlock>()
  const numberOf = (activity: any): number => {
    let n = numbers.get(activity)
    if (n === undefined) {
      numbers.set(activity, (n = ++lastActivity))
      stamp(`charcoal:a:${n}:${running}:${apply(slice, text(activity.name), [0, 200])}`)
    }
    return n
  }
  defineProperty(g, Symbol.for('charcoal.tracer'), {
    configurable: true,
    value: {
      registered: (activity: object) => void numberOf(activity),
      started(branch: any) {
        running = numberOf(branch.activity)
        stamp(`charcoal:b:${running}`)
      },
      stopped(branch: any) {
        if (running !== 0) stamp(`charcoal:p:${running}:${branch.gen === null && branch === branch.activity ? 1 : 0}`)
        running = 0
      },
      atomic(branch: any, entered: boolean) {
        const n = numberOf(branch.activity)
        const outer = open.get(n)
        if (entered) {
          const block = ++lastBlock
          open.set(n, { block, outer })
          stamp(`charcoal:e:${n}:${block}`)
        } else if (outer !== undefined) {
          if (outer.outer === undefined) open.delete(n)
          else open.set(n, outer.outer)
          stamp(`charcoal:l:${outer.block}`)
        }
      },
    },
  })
}
