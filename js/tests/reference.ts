/**
 * The reference: a small interpreter of the laws, with nothing of the library in it but the order of things. Programs are data; a branch is a stack of
 * instruction lists. One case per rule.
 *
 * Rules: spawn queues at the end; async starts at once and its continuation waits in front; a blocked branch gives way to the nearest such continuation, then to the activity's
 * ready branches, then to the next group of the newest context. An atomic block is a new context; it ends when its body and its contained activities have.
 */
export type Instruction =
  | { op: 'log'; what: number }
  | { op: 'call'; body: Program }
  | { op: 'sleep'; ms: number }
  | { op: 'pause' }
  | { op: 'send'; on: number; item: number }
  | { op: 'recv'; on: number }
  | { op: 'spawn'; body: Program; contained: boolean }
  | { op: 'atomic'; body: Program }
  | { op: 'finish'; body: Program }
  | { op: 'async'; body: Program }
export type Program = Instruction[]

interface Frame {
  body: Program
  pc: number
  scope?: Scope
  block?: Context
}
interface Scope {
  pending: number
  waiting?: Branch
}
interface Branch {
  frames: Frame[]
  group: Group
  scope: Scope
}
interface Group {
  context: Context
  running?: Branch
  conts: Branch[]
  ready: Branch[]
  isBlock: boolean
  /** Set when a block is over: the group around it. */
  into?: Group
}
interface Context {
  queue: Group[]
  group?: Group
  outer?: Group
  contained: number
  leaver?: Branch
}

/** Runs the program under the plain scheduler; the result is what it logged, and 'stuck' if it could not end. */
export function interpret(program: Program, capacities: number[]): (number | string)[] {
  const log: (number | string)[] = []
  const base: Context = { queue: [], contained: 0 }
  const contexts: Context[] = [base]
  const channels = capacities.map((capacity) => ({ capacity, buffer: [] as number[], senders: [] as { item: number; branch: Branch }[], receivers: [] as Branch[] }))
  const timers: { at: number; order: number; branch: Branch }[] = []
  let now = 0
  let order = 0
  let live = 0
  let executing: Group | undefined
  const top = (): Context => contexts[contexts.length - 1]
  const enqueue = (g: Group): void => {
    if (!g.context.queue.includes(g)) g.context.queue.push(g)
  }
  const home = (b: Branch): Group => {
    while (b.group.into !== undefined) b.group = b.group.into
    return b.group
  }
  const ready = (b: Branch): void => {
    const g = home(b)
    if (g.running === undefined && g.ready.length === 0) g.running = b
    else g.ready.push(b)
    if (g !== executing) enqueue(g)
  }
  const spawn = (body: Program, context: Context): void => {
    live++
    if (context !== base) context.contained++
    const group: Group = { context, conts: [], ready: [], isBlock: false }
    const root: Scope = { pending: 0 }
    group.running = { frames: [{ body, pc: 0 }], group, scope: root }
    ;(group.running as Branch & { root?: Scope }).root = root
    enqueue(group)
  }
  /** Branches that outlive their block go on in the group around it. */
  const move = (block: Context): void => {
    const from = block.group!
    const to = block.outer!
    for (const b of from.conts) to.conts.push(b)
    for (const b of from.ready) to.ready.push(b)
    from.into = to
  }
  const endBlock = (block: Context, owner: Branch): void => {
    contexts.pop()
    move(block)
    owner.group = block.outer!
    owner.group.running = owner
    executing = owner.group
  }
  const activityEnded = (group: Group): void => {
    live--
    const home = group.context
    if (home === base) return
    home.contained--
    if (home.contained === 0 && home.leaver !== undefined) {
      const owner = home.leaver
      contexts.pop()
      move(home)
      owner.group = home.outer!
      enqueue(owner.group)
    }
  }
  /** Runs a branch until it blocks, ends or is set aside; true if it was set aside. */
  const step = (b: Branch): boolean => {
    for (;;) {
      home(b)
      const frame = b.frames[b.frames.length - 1]
      if (frame === undefined) {
        const root = (b as Branch & { root?: Scope }).root
        if (root !== undefined) {
          if (root.pending > 0) {
            root.waiting = b
            return false
          }
          activityEnded(b.group)
        } else {
          b.scope.pending--
          const waiting = b.scope.waiting
          if (b.scope.pending === 0 && waiting !== undefined) {
            b.scope.waiting = undefined
            if ((waiting as Branch & { root?: Scope }).root === b.scope) activityEnded(waiting.group)
            else ready(waiting)
          }
        }
        return false
      }
      if (frame.pc === frame.body.length) {
        if (frame.scope !== undefined && frame.scope.pending > 0) {
          frame.scope.waiting = b
          return false
        }
        b.frames.pop()
        if (frame.scope !== undefined) b.scope = (frame as Frame & { outer?: Scope }).outer!
        if (frame.block !== undefined) {
          if (frame.block.contained > 0) {
            frame.block.leaver = b
            return false
          }
          endBlock(frame.block, b)
        }
        continue
      }
      const i = frame.body[frame.pc++]
      switch (i.op) {
        case 'log':
          log.push(i.what)
          break
        case 'call':
          b.frames.push({ body: i.body, pc: 0 })
          break
        case 'pause':
          if (b.group.isBlock) break
          enqueue(b.group)
          return true
        case 'sleep':
          timers.push({ at: now + i.ms, order: order++, branch: b })
          return false
        case 'send': {
          const c = channels[i.on]
          const r = c.receivers.shift()
          if (r !== undefined) {
            log.push(i.item)
            ready(r)
          } else if (c.buffer.length < c.capacity) c.buffer.push(i.item)
          else {
            c.senders.push({ item: i.item, branch: b })
            return false
          }
          break
        }
        case 'recv': {
          const c = channels[i.on]
          const s = c.senders.shift()
          const item = c.buffer.length > 0 ? c.buffer.shift()! : s?.item
          if (item === undefined) {
            c.receivers.push(b)
            return false
          }
          if (s !== undefined) {
            if (c.capacity > 0) c.buffer.push(s.item)
            ready(s.branch)
          }
          log.push(item)
          break
        }
        case 'spawn': {
          const inside = b.group.isBlock ? b.group.context : b.group.context
          spawn(i.body, i.contained ? inside : base)
          break
        }
        case 'atomic': {
          const block: Context = { queue: [], contained: 0, outer: b.group }
          const group: Group = { context: block, running: b, conts: [], ready: [], isBlock: true }
          block.group = group
          contexts.push(block)
          b.group = group
          executing = group
          b.frames.push({ body: i.body, pc: 0, block })
          break
        }
        case 'finish': {
          const scope: Scope = { pending: 0 }
          b.frames.push(Object.assign({ body: i.body, pc: 0, scope }, { outer: b.scope }))
          b.scope = scope
          break
        }
        case 'async': {
          b.scope.pending++
          const child: Branch = { frames: [{ body: i.body, pc: 0 }], group: b.group, scope: b.scope }
          b.group.conts.push(b)
          b.group.running = child
          b = child
          break
        }
      }
    }
  }
  const run = (group: Group): void => {
    let b = group.running ?? group.conts.pop() ?? group.ready.shift()
    while (b !== undefined) {
      executing = group
      group.running = b
      if (step(b)) {
        executing = undefined
        return
      }
      group = executing!
      group.running = undefined
      b = group.conts.pop() ?? group.ready.shift()
    }
    executing = undefined
  }
  spawn(program, base)
  for (;;) {
    const group = top().queue.shift()
    if (group !== undefined) run(group)
    else if (live === 0) return log
    else if (timers.length > 0) {
      const next = timers.reduce((x, y) => (y.at < x.at || (y.at === x.at && y.order < x.order) ? y : x))
      timers.splice(timers.indexOf(next), 1)
      now = next.at
      ready(next.branch)
    } else return [...log, 'stuck']
  }
}
