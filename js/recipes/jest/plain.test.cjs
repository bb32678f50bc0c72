// Jest: an atomic block in plain syntax, through the transformer that jest.config.cjs names.
let votes = 0

async function vote() {
  atomic: {
    const before = votes
    await new Promise((done) => setTimeout(done, 1))
    votes = before + 1
  }
}

test('of three votes at once none is lost', async () => {
  await Promise.all([vote(), vote(), vote()])
  expect(votes).toBe(3)
})
