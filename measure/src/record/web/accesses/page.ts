/**
 * Runs in each realm of a page before its scripts, which tell it of their accesses: see `transform.ts`. Built as one
 * file, whose text the realm gets.
 */
import { Runtime } from '../../accesses/runtime.ts'
import { disguiseTexts } from '../../accesses/disguise_texts.ts'
import { GLOBAL } from '../../accesses/sites.ts'
import { News, toldBy } from '../../accesses/tell.ts'
import { noteProxies } from '../../accesses/proxies.ts'
import { Watch, type Finding } from '../../accesses/watch.ts'
import { textOf } from './text_of.ts'
import { FOUND, STAMP } from './found.ts'
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
  const number = Math.random()
  const found = (isWanted?: (finding: Finding) => boolean): string => {
    const made: number[] = []
    watch.made.forEach((site) => void (made[made.length] = site))
    return textOf({ realm: number, findings: toldBy(watch, isWanted), made })
  }
  Object.defineProperty(realm, FOUND, { value: () => found() })
  // What was found would be gone with a page that the user leaves, or that crashes; the trace is not.
  const { timeStamp } = console
  const stamp = (text: string): void => apply(timeStamp, console, [STAMP + text])
  const news = new News()
  watch.found = (finding) => {
    if (news.has(finding)) stamp(found((one) => one === finding))
  }
  realm.addEventListener?.('pagehide', () => {
    if (watch.findings.size + watch.made.size > 0) stamp(found())
  })
}
