/**
 * Runs in each realm of a page before its scripts, which tell it of their accesses: see `transform.ts`. Built as one
 * file, whose text the realm gets.
 */
import { Runtime } from '../../accesses/runtime.ts'
import { disguiseTexts } from '../../accesses/disguise_texts.ts'
import { GLOBAL } from '../../accesses/sites.ts'
import { toldBy, type Told } from '../../accesses/tell.ts'
import { noteProxies } from '../../accesses/proxies.ts'
import { Watch } from '../../accesses/watch.ts'
import { textOf } from './text_of.ts'
import { FOUND, LEFT } from './found.ts'
import { PageFlows } from './page_flows.ts'

const realm = globalThis as any
if (!Object.hasOwn(realm, GLOBAL)) {
  const { apply } = Reflect
  const clock = performance
  const { now } = clock
  const watch = new Watch(new PageFlows(() => apply(now, clock, []) * 1000))
  Object.defineProperty(realm, GLOBAL, { value: new Runtime(watch.flows, watch, () => {}) })
  disguiseTexts()
  noteProxies(realm)
  const all = (): (Told | number)[] => {
    const told: (Told | number)[] = toldBy(watch)
    watch.made.forEach((site) => void (told[told.length] = site))
    return told
  }
  Object.defineProperty(realm, FOUND, { value: () => textOf(all()) })
  // What was found in a page that the user leaves would be gone with it; the trace is not.
  const { timeStamp } = console
  realm.addEventListener?.('pagehide', () => {
    if (watch.findings.size + watch.made.size > 0) apply(timeStamp, console, [LEFT + textOf(all())])
  })
}
