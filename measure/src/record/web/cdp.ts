/**
 * A connection over the DevTools protocol: commands with answers, events, sessions of targets (flattened). Everything
 * fails with `MeasureError` once the browser is gone, and every command after its deadline: a page whose script runs
 * without end answers nothing.
 */
import WebSocket from 'ws'
import { MeasureError } from '../../format/error.ts'

type Listener = (params: any, session: string) => void

/** Who is at the other end, and why it may not answer. */
export interface Peer {
  name: string
  slow: string
}

const BROWSER: Peer = { name: 'the browser', slow: 'the page is busy, or hangs' }

/** Milliseconds that a command has, unless it is told otherwise. */
const DEADLINE = 30_000

interface Waiting {
  method: string
  timer: ReturnType<typeof setTimeout>
  done(result: any): void
  fail(error: Error): void
}

export class Cdp {
  /** Settles when the connection has closed. */
  readonly closed: Promise<void>
  private readonly socket: WebSocket
  private readonly peer: Peer
  private readonly waiting = new Map<number, Waiting>()
  private readonly listeners = new Map<string, Set<Listener>>()
  private last = 0
  private gone = false

  private constructor(socket: WebSocket, peer: Peer) {
    this.socket = socket
    this.peer = peer
    socket.on('message', (data) => this.received(String(data)))
    this.closed = new Promise((done) => {
      socket.on('close', () => {
        this.gone = true
        for (const { method, timer, fail } of this.waiting.values()) {
          clearTimeout(timer)
          fail(new MeasureError(`${peer.name} closed before it answered ${method}`))
        }
        this.waiting.clear()
        done()
      })
    })
    socket.on('error', () => {})
  }

  static connect(url: string, peer = BROWSER): Promise<Cdp> {
    return new Promise((done, fail) => {
      const socket = new WebSocket(url, { maxPayload: 1 << 30, perMessageDeflate: false, handshakeTimeout: DEADLINE })
      socket.once('open', () => done(new Cdp(socket, peer)))
      socket.once('error', (error) =>
        fail(new MeasureError(`the debugging port of ${peer.name} does not answer: ${error.message}`)),
      )
    })
  }

  /** `deadline` in milliseconds. */
  send(method: string, params: object = {}, session?: string, deadline = DEADLINE): Promise<any> {
    const { name, slow } = this.peer
    if (this.gone) return Promise.reject(new MeasureError(`${name} has closed (before ${method})`))
    const id = ++this.last
    return new Promise((done, fail) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id)
        fail(new MeasureError(`${name} has not answered ${method} within ${deadline / 1000} s: ${slow}`))
      }, deadline)
      this.waiting.set(id, { method, timer, done, fail })
      this.socket.send(JSON.stringify({ id, method, params, ...(session && { sessionId: session }) }))
    })
  }

  /** Calls `listener` for each event of that name, in any session or only in `session`. The result undoes it. */
  on(event: string, listener: Listener, session?: string): () => void {
    const all = this.listeners.get(event) ?? new Set()
    this.listeners.set(event, all)
    const filtered: Listener =
      session === undefined ? listener : (params, from) => from === session && listener(params, from)
    all.add(filtered)
    return () => void all.delete(filtered)
  }

  close(): void {
    this.socket.close()
  }

  private received(text: string): void {
    const message = JSON.parse(text)
    if (message.id === undefined) {
      for (const listener of this.listeners.get(message.method) ?? []) listener(message.params, message.sessionId ?? '')
      return
    }
    const waiting = this.waiting.get(message.id)
    if (waiting === undefined) return
    this.waiting.delete(message.id)
    clearTimeout(waiting.timer)
    if (message.error === undefined) waiting.done(message.result)
    else waiting.fail(new MeasureError(`${this.peer.name} refuses ${waiting.method}: ${message.error.message}`))
  }
}
