// Compiled by Babel with the plugin beside this file, as in babel.config.json: { "plugins": ["./charcoal.cjs"] }
let votes = 0
const tick = () => new Promise((done) => setTimeout(done, 1))

async function vote() {
  atomic: {
    const before = votes
    await tick()
    votes = before + 1
  }
}
await Promise.all([vote(), vote(), vote()])
console.log(votes) // → 3
