/** Activities in React components, in StrictMode, in a real page. */
import { createElement, StrictMode, useState, type ReactElement } from 'react'
import { createRoot } from 'react-dom/client'
import { flushSync } from 'react-dom'
import { test, reported, same } from './harness.ts'
import { Cancelled, sleep } from './lib.ts'
import { useActivity, useHandler } from '../src/react.ts'

const seen: string[] = []
let begun = 0
let setId: (id: number) => void

/** Waits until it is so, and says what it is if that takes too long. */
async function until(what: () => unknown, want: unknown): Promise<void> {
  for (const end = Date.now() + 20_000; JSON.stringify(what()) !== JSON.stringify(want) && Date.now() < end;) {
    await new Promise((done) => setTimeout(done, 5))
  }
  same(what(), want)
}

function Page(): ReactElement {
  const [id, set] = useState(1)
  setId = set
  const { state, value, error, restart } = useActivity(
    function* load() {
      begun = id
      try {
        yield* sleep(id === 2 ? 1e6 : 2)
        if (id === 4) throw new Error('not found')
        return `user ${id}`
      } catch (e) {
        if (e instanceof Cancelled) seen.push(`${id} cancelled`)
        throw e
      }
    },
    [id],
  )
  const save = useHandler(
    function* (name: string) {
      try {
        yield* sleep(20)
        seen.push(`saved ${name} with ${id}`)
      } catch (e) {
        seen.push(`${name} given up`)
        throw e
      }
    },
    { when: 'first' },
  )
  return createElement('p', { onClick: () => save('x'), onDoubleClick: restart }, `${state} ${value} ${error ?? ''}`)
}

test('an activity follows its component: it is replaced when a dependency changes, and ends with it', async () => {
  const box = document.body.appendChild(document.createElement('div'))
  const root = createRoot(box)
  flushSync(() => root.render(createElement(StrictMode, null, createElement(Page))))
  const text = (): string => box.textContent!
  same(text(), 'running undefined ')
  await until(text, 'done user 1 ')
  same(seen.splice(0), []) // the first one, of StrictMode, had not begun
  flushSync(() => setId(2))
  await until(text, 'running user 1 ')
  await until(() => begun, 2)
  flushSync(() => setId(3))
  await until(text, 'done user 3 ')
  same(seen.splice(0), ['2 cancelled'])
  flushSync(() => setId(4))
  await until(text, 'failed user 3 Error: not found')
  box.querySelector('p')!.click()
  box.querySelector('p')!.click() // ignored: the first is being handled
  await until(() => seen, ['saved x with 4'])
  seen.length = 0
  box.querySelector('p')!.click()
  root.unmount()
  await until(() => seen, ['x given up'])
  box.remove()
})

test('an error of an event handler of a component is reported, and its cancel is not', async () => {
  const Button = (): ReactElement => {
    const press = useHandler(function* (name: string) {
      yield* sleep(name === 'fails' ? 1 : 1e6)
      throw new Error(name)
    })
    return createElement('p', { onClick: () => press('fails'), onDoubleClick: () => press('is cancelled') })
  }
  const box = document.body.appendChild(document.createElement('div'))
  const root = createRoot(box)
  flushSync(() => root.render(createElement(Button)))
  const said = await reported(async () => {
    box.querySelector('p')!.click()
    box.querySelector('p')!.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))
    await new Promise((done) => setTimeout(done, 50))
    root.unmount()
    await new Promise((done) => setTimeout(done, 5))
  })
  same(said, ['fails'])
  box.remove()
})
