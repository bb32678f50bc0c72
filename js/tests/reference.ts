/**
 * The reference: a small interpreter of the laws, with nothing of the library in it but the order of things. Programs
 * are data; a branch is a stack of instruction lists. One case per rule.
 *
 * Besides channels there are futures (`set`, `get`) and cancel: `cancel` marks the enclosing finish scope that is `up`
 * further out, `kill` the activity that was spawned as number `which`.
 *
 * Rules: spawn queues at the end; async starts at once and its continuation waits in front; a blocked branch gives way
 * to the nearest such continuation, then to the activity's ready branches, then to the next group of the newest
 * context. An atomic block is a new context; it ends when its body and its contained activities have.
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
  | { op: 'shield'; body: Program }
  | { op: 'set' | 'get'; on: number }
  | { op: 'cancel'; up: number }
  | { op: 'kill'; which: number }
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
  owner: Branch
  parent?: Scope
  shield?: boolean
  /** The scope whose cancel marked this one. */
  origin?: Scope
  children: Set<Scope>
  branches: Set<Branch>
}
interface Branch {
  frames: Frame[]
  group: Group
  scope: Scope
  /** While it waits for something that a cancel can take back: how. */
  withdraw?: () => void
  /** It was cancelled, and unwinds its frames. */
  throwing?: boolean
  begun?: boolean
  ended?: boolean
  /** The implicit scope, if this is an activity's own branch. */
  root?: Scope
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
  owner?: Branch
}

/**
 * Runs the program under the plain scheduler; the result is what it logged, then 'stuck' if it could not end,
 * 'deadlock' if an atomic block could not.
 */
export function interpret(program: Program, capacities: number[]): (number | string)[] {
  const log: (number | string)[] = []
  const base: Context = { queue: [], contained: 0 }
  const contexts: Context[] = [base]
  const channels = capacities.map((capacity) => ({
    capacity,
    buffer: [] as number[],
    senders: [] as { item: number; branch: Branch }[],
    receivers: [] as Branch[],
  }))
  let timers: { at: number; order: number; branch: Branch }[] = []
  const futures = [0, 1].map(() => ({ set: false, waiters: [] as Branch[] }))
  const spawned: Branch[] = []
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
  const newScope = (owner: Branch, parent?: Scope, shield = false): Scope => {
    const scope: Scope = { pending: 0, owner, parent, shield, children: new Set(), branches: new Set() }
    parent?.children.add(scope)
    if (!shield && parent?.origin !== undefined) scope.origin = parent.origin
    return scope
  }
  const mark = (scope: Scope, origin: Scope): void => {
    if (scope.origin !== undefined) return
    for (const child of scope.children) if (!child.shield) mark(child, origin)
    scope.origin = origin
    for (const b of [scope.owner, ...scope.branches])
      if (b.scope === scope && b.withdraw !== undefined) {
        b.withdraw()
        b.throwing = true
        ready(b)
      }
  }
  const ready = (b: Branch): void => {
    b.withdraw = undefined
    const g = home(b)
    if (g.running === undefined && g.ready.length === 0) g.running = b
    else g.ready.push(b)
    if (g !== executing) enqueue(g)
  }
  const spawn = (body: Program, context: Context): void => {
    live++
    if (context !== base) context.contained++
    const group: Group = { context, conts: [], ready: [], isBlock: false }
    const branch = { frames: [{ body, pc: 0 }], group } as unknown as Branch
    branch.scope = branch.root = newScope(branch)
    group.running = branch
    spawned.push(branch)
    enqueue(group)
  }
  /** Branches that outlive their block go on in the group around it. */
  const move = (block: Context): void => {
    const from = block.group!
    const to = block.outer!
    for (const b of from.conts) to.conts.push(b)
    if (from.running !== undefined && from.running !== from.context.owner) to.ready.push(from.running)
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
    b.begun = true
    for (;;) {
      home(b)
      const frame = b.frames[b.frames.length - 1]
      if (frame === undefined) {
        const { root } = b
        if (root !== undefined) {
          b.throwing = false
          if (root.pending > 0) {
            root.waiting = b
            return false
          }
          b.ended = true
          activityEnded(b.group)
        } else {
          b.scope.pending--
          b.scope.branches.delete(b)
          const waiting = b.scope.waiting
          if (b.scope.pending === 0 && waiting !== undefined) {
            b.scope.waiting = undefined
            if (waiting.root === b.scope) {
              waiting.ended = true
              activityEnded(waiting.group)
            } else ready(waiting)
          }
        }
        return false
      }
      if (frame.pc === frame.body.length || b.throwing) {
        if (frame.scope !== undefined && frame.scope.pending > 0) {
          frame.scope.waiting = b
          return false
        }
        b.frames.pop()
        const { scope } = frame
        if (scope !== undefined) {
          scope.parent!.children.delete(scope)
          b.scope = scope.parent!
          // A scope that was cancelled itself ends normally; one that is inside a cancelled one hands the cancel on.
          b.throwing = scope.origin !== undefined && scope.origin !== scope
        }
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
      if (['sleep', 'send', 'recv', 'get'].includes(i.op) && b.scope.origin !== undefined) {
        b.throwing = true
        continue
      }
      const leave = <T>(list: T[], item: T): void => void (b.withdraw = () => list.splice(list.indexOf(item), 1))
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
          b.withdraw = () => (timers = timers.filter((t) => t.branch !== b))
          return false
        case 'set': {
          const f = futures[i.on]
          f.set = true
          for (const w of f.waiters.splice(0)) ready(w)
          break
        }
        case 'get': {
          const f = futures[i.on]
          if (f.set) break
          f.waiters.push(b)
          leave(f.waiters, b)
          return false
        }
        case 'cancel': {
          let scope = b.scope
          for (let up = i.up; ; up--) {
            while (scope.shield) scope = scope.parent!
            if (up === 0) break
            scope = scope.parent!
          }
          mark(scope, scope)
          break
        }
        case 'kill': {
          // Number 0 is the main program.
          const victim = spawned[1 + (i.which % Math.max(1, spawned.length - 1))]
          if (victim === undefined || victim.ended) break
          mark(victim.root!, victim.root!)
          if (victim.frames.length === 1 && victim.frames[0].pc === 0 && !victim.begun) victim.throwing = true
          break
        }
        case 'send': {
          const c = channels[i.on]
          const r = c.receivers.shift()
          if (r !== undefined) {
            log.push(i.item)
            ready(r)
          } else if (c.buffer.length < c.capacity) c.buffer.push(i.item)
          else {
            const send = { item: i.item, branch: b }
            c.senders.push(send)
            leave(c.senders, send)
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
            leave(c.receivers, b)
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
          const block: Context = { queue: [], contained: 0, outer: b.group, owner: b }
          const group: Group = { context: block, running: b, conts: [], ready: [], isBlock: true }
          block.group = group
          contexts.push(block)
          b.group = group
          executing = group
          b.frames.push({ body: i.body, pc: 0, block })
          break
        }
        case 'finish':
        case 'shield':
          b.scope = newScope(b, b.scope, i.op === 'shield')
          b.frames.push({ body: i.body, pc: 0, scope: b.scope })
          break
        case 'async': {
          b.scope.pending++
          const child: Branch = { frames: [{ body: i.body, pc: 0 }], group: b.group, scope: b.scope }
          b.scope.branches.add(child)
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
    } else return [...log, contexts.length > 1 ? 'deadlock' : 'stuck']
  }
}
