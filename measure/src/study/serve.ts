/**
 * What the applications of the corpus are served with: processes that end when told, and a small server for files. Both
 * on free ports of this machine alone.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { createReadStream, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createPort } from 'node:net'
import path from 'node:path'
import { decoded } from '../format/address.ts'
import { MeasureError } from '../format/error.ts'

type Page = [type: string, content: () => string | Buffer]

export class Services {
  private readonly children: ChildProcess[] = []
  private readonly servers: Server[] = []

  /** Starts a program and waits until the address answers. */
  async start(
    command: string,
    args: string[],
    { ready, env, cwd }: { ready: string; env?: NodeJS.ProcessEnv; cwd?: string },
  ): Promise<void> {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    this.children.push(child)
    let said = ''
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (data) => (said = (said + String(data)).slice(-3000)))
    let failed: Error | undefined
    child.on('error', (error) => (failed = error))
    await answers(ready, () => {
      if (failed !== undefined) throw new MeasureError(`${command} cannot be started: ${failed.message}`, 4)
      if (child.exitCode !== null)
        throw new MeasureError(
          `${command} ended (status ${child.exitCode}): ${said.trim().split('\n').slice(-4).join(' | ')}`,
          4,
        )
    })
  }

  /** Runs a program to its end. */
  async run(command: string, args: string[]): Promise<void> {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (data) => (said = (said + String(data)).slice(-3000)))
    const status = await new Promise<number | null>((done, fail) => child.on('error', fail).on('close', done))
    if (status !== 0) throw new MeasureError(`${command} failed: ${said.trim().split('\n').at(-1)}`, 4)
  }

  /** Serves pages (a path that ends in `/` stands for all below it, save `/` itself) and folders. */
  async site(pages: Record<string, Page>, folders: Record<string, string> = {}): Promise<{ url: string }> {
    const server = createServer((request, response) => {
      const url = decoded(new URL(request.url ?? '/', 'http://localhost').pathname)
      const page =
        pages[url] ?? Object.entries(pages).find(([at]) => at !== '/' && at.endsWith('/') && url.startsWith(at))?.[1]
      if (page !== undefined) return void response.writeHead(200, { 'content-type': page[0] }).end(page[1]())
      const [at, folder] = Object.entries(folders).find(([prefix]) => url.startsWith(prefix)) ?? []
      const file = folder === undefined ? undefined : path.join(folder, url.slice(at!.length))
      if (file === undefined || !file.startsWith(folder!) || !isFile(file)) return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' })
      createReadStream(file).pipe(response)
    })
    this.servers.push(server)
    const port = await new Promise<number>((done) =>
      server.listen(0, '127.0.0.1', () => done((server.address() as { port: number }).port)),
    )
    return { url: `http://127.0.0.1:${port}/` }
  }

  async stop(): Promise<void> {
    for (const server of this.servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
    await Promise.all(
      this.children.splice(0).map(async (child) => {
        if (child.exitCode !== null || child.pid === undefined) return
        const exit = new Promise((done) => child.once('exit', done))
        for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
          try {
            process.kill(-child.pid, signal)
          } catch {
            return
          }
          await Promise.race([exit, new Promise((done) => setTimeout(done, 4000))])
        }
      }),
    )
  }
}

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.map': 'application/json',
}

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true

/** Until the address answers with a status below 500, at most 90 s. `check` may throw meanwhile. */
export async function answers(url: string, check: () => void): Promise<void> {
  for (const until = Date.now() + 90_000; Date.now() < until;) {
    check()
    try {
      const { status } = await fetch(url, { signal: AbortSignal.timeout(2000) })
      if (status < 500) return
    } catch {
      // The server does not answer yet.
    }
    await new Promise((done) => setTimeout(done, 150))
  }
  throw new MeasureError(`${url} does not answer within 90 s`, 4)
}

export async function freePort(): Promise<number> {
  const probe = createPort()
  const port = await new Promise<number>((done) =>
    probe.listen(0, '127.0.0.1', () => done((probe.address() as { port: number }).port)),
  )
  await new Promise((done) => probe.close(done))
  return port
}
