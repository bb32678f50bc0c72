// Vue: a composable that runs an activity for a source, again when the source changes, and no longer than its
// component. A result that comes too late is never seen. Run it: node vue.mjs
import { effectScope, nextTick, ref, shallowRef, watch } from 'vue'
import { sleep, spawn } from 'charcoal-js'

/** In `setup`: const { value, error } = useActivity(id, function* (id) { … }) */
function useActivity(source, body) {
  const value = shallowRef()
  const error = shallowRef()
  watch(source, (now, _before, onCleanup) => {
    const activity = spawn(() => body(now))
    activity.then(
      (result) => (value.value = result),
      (reason) => activity.state === 'failed' && (error.value = reason),
    )
    onCleanup(() => activity.cancel('the component has gone, or what it depends on has changed'))
  }, { immediate: true })
  return { value, error }
}

const id = ref(1)
const component = effectScope() // what a component has of its own
const ended = []
const { value } = component.run(() =>
  useActivity(id, function* (user) {
    try {
      yield* sleep(user === 3 ? 60_000 : 1)
      return `user ${user}`
    } finally {
      ended.push(user)
    }
  }),
)
while (value.value === undefined) await sleep(1)
console.log(value.value) // → user 1
id.value = 3
await nextTick()
await sleep(1)
id.value = 2 // user 3 is given up
while (value.value === 'user 1') await sleep(1)
console.log(value.value) // → user 2
id.value = 3
await nextTick()
await sleep(1)
component.stop()
while (ended.length < 4) await sleep(1)
console.log(ended.join()) // → 1,3,2,3
