/**
 * What Node calls its asynchronous resources, and what that means here. `micro`: runs from the microtask or tick queue,
 * inside another continuation. `handle`: may run more than once for one registration.
 */
export interface ResourceType {
  kind: string
  micro: boolean
  handle: boolean
  /** A handle that is made for one request: all of its runs go on with what made it. */
  once: boolean
}

const request = (kind: string): ResourceType => ({ kind, micro: false, handle: false, once: false })
const handle = (kind: string): ResourceType => ({ kind, micro: false, handle: true, once: false })
const handleOnce = (kind: string): ResourceType => ({ kind, micro: false, handle: true, once: true })
const micro = (kind: string): ResourceType => ({ kind, micro: true, handle: false, once: false })

const known: Record<string, ResourceType> = {
  PROMISE: micro('promise'),
  Microtask: micro('promise'),
  TickObject: micro('tick'),
  Timeout: request('timeout'),
  Immediate: request('immediate'),
  FSREQCALLBACK: request('fs'),
  FSREQPROMISE: request('fs'),
  FILEHANDLECLOSEREQ: request('fs'),
  FSEVENTWRAP: handle('fs'),
  STATWATCHER: handle('fs'),
  DIRHANDLE: request('fs'),
  FILEHANDLE: handle('fs'),
  GETADDRINFOREQWRAP: request('dns'),
  GETNAMEINFOREQWRAP: request('dns'),
  QUERYWRAP: request('dns'),
  TCPCONNECTWRAP: request('net'),
  PIPECONNECTWRAP: request('net'),
  WRITEWRAP: request('net'),
  SHUTDOWNWRAP: request('net'),
  UDPSENDWRAP: request('net'),
  TCPWRAP: handle('net'),
  TCPSERVERWRAP: handle('net'),
  PIPEWRAP: handle('net'),
  PIPESERVERWRAP: handle('net'),
  UDPWRAP: handle('net'),
  TLSWRAP: handle('net'),
  TTYWRAP: handle('stream'),
  STREAMPIPE: handle('stream'),
  JSSTREAM: handle('stream'),
  HTTPINCOMINGMESSAGE: handle('http'),
  HTTPCLIENTREQUEST: handleOnce('http'),
  HTTP2SESSION: handle('http'),
  HTTP2STREAM: handle('http'),
  HTTP2PING: request('http'),
  HTTP2SETTINGS: request('http'),
  PROCESSWRAP: handleOnce('process'),
  SIGNALWRAP: handle('process'),
  ZLIB: handleOnce('zlib'),
  MESSAGEPORT: handle('message-port'),
  WORKER: handle('worker-message'),
}

export function resourceType(name: string): ResourceType {
  const type = known[name]
  if (type !== undefined) return type
  if (/^(PBKDF2|RANDOM|SCRYPT|HASH|SIGN|VERIFY|CIPHER|DERIVE|HKDF|KEY|CHECKPRIME).*/.test(name))
    return request('crypto')
  return { kind: `other:${name.slice(0, 100)}`, micro: false, handle: false, once: false }
}

/** Gives types numbers, from 0, in the order in which their names are met. */
export class TypeNumbers {
  private readonly types: ResourceType[] = []
  private readonly numbers = new Map<string, number>()
  /** What was asked for last: most often it is asked for again. */
  private lastName = ''
  private lastNumber = -1

  of(name: string): number {
    if (name === this.lastName) return this.lastNumber
    let number = this.numbers.get(name)
    if (number === undefined) {
      number = this.types.push(resourceType(name)) - 1
      this.numbers.set(name, number)
    }
    this.lastName = name
    return (this.lastNumber = number)
  }

  at(number: number): ResourceType {
    return this.types[number]!
  }
}
