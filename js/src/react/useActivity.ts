/** `useActivity` and `useHandler` run activities that live no longer than the React component that uses them. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { spawn } from '../core/spawn.ts'
import { operationOf, type Result } from '../ops/items.ts'
import { handler, type HandlerOptions } from '../ops/handler.ts'

/** What `useActivity` gives: where the activity stands, and what it has come to. */
export interface ActivityState<T> {
  state: 'running' | 'done' | 'failed'
  /** The last result; it stays while a new activity runs. */
  value: T | undefined
  error: unknown
  /** Cancels the activity and starts another. */
  restart(): void
}

/**
 * Runs `body` as an activity while the component is there, and again when one of `deps` has changed; the one before
 * is cancelled then, and when the component goes. A result that comes too late is never seen.
 *
 * @example
 * // not run: in a component
 * function Profile({ id }) {
 *   const { state, value, error, restart } = useActivity(function* () {
 *     const response = yield* wait(fetch(`/users/${id}`, { signal: signal() }))
 *     return yield* wait(response.json())
 *   }, [id])
 *   if (state === 'failed') return <button onClick={restart}>Again: {String(error)}</button>
 *   return <p>{value?.name ?? 'one moment'}</p>
 * }
 */
export function useActivity<R>(body: () => R, deps: readonly unknown[] = []): ActivityState<Result<R>> {
  type State = Omit<ActivityState<Result<R>>, 'restart'>
  const [run, again] = useState(0)
  const [state, setState] = useState<State>({ state: 'running', value: undefined, error: undefined })
  const restart = useCallback(() => again((n) => n + 1), [])
  useEffect(() => {
    let here = true
    setState((was) => (was.state === 'running' ? was : { ...was, state: 'running', error: undefined }))
    const activity = spawn<Result<R>>((() => operationOf(body)) as any, { name: body.name || 'useActivity' })
    activity.then(
      (value) => here && setState({ state: 'done', value, error: undefined }),
      (error) => here && setState((was) => ({ ...was, state: 'failed', error })),
    )
    return () => {
      here = false
      activity.cancel('the component has gone, or something it depends on has changed')
    }
  }, [...deps, run])
  return { ...state, restart }
}

/**
 * An event handler whose body is an activity, cancelled when the component goes. `options.when` says what happens
 * when an event comes while an earlier one is being handled; see `handler`. The handler stays the same, and always
 * runs the newest body.
 *
 * @example
 * // not run: in a component
 * const save = useHandler(function* (event) {
 *   event.preventDefault()
 *   yield* wait(fetch('/save', { method: 'POST', body: new FormData(event.target), signal: signal() }))
 * }, { when: 'first' })
 * return <form onSubmit={save}>…</form>
 */
export function useHandler<A extends unknown[]>(
  body: (...args: A) => unknown,
  options: HandlerOptions = {},
): (...args: A) => void {
  const newest = useRef(body)
  newest.current = body
  const [handle] = useState(() => handler((...args: A) => newest.current(...args), options))
  useEffect(() => () => handle.cancel('the component has gone'), [])
  // Nobody asks for the result, so an error goes to whatever reports errors. A cancel is no error.
  return useCallback((...args: A) => void handle(...args), [])
}
