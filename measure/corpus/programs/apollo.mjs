// Books and authors on Apollo Server: nested resolvers, a loader that collects keys for one turn, mutations.
import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'

const [port] = process.argv.slice(2)
const authors = Array.from({ length: 40 }, (_, id) => ({ id: String(id), name: `Author ${id}` }))
const books = Array.from({ length: 200 }, (_, id) => ({ id: String(id), title: `Book ${id}`, author: String(id % 40) }))

/** Collects the keys asked for within one turn of the event loop, and fetches them together after 2 ms. */
function loader(fetch) {
  let waiting = []
  return (key) =>
    new Promise((done) => {
      if (waiting.push([key, done]) > 1) return
      process.nextTick(() => {
        const now = waiting
        waiting = []
        setTimeout(() => {
          const found = fetch(now.map(([k]) => k))
          now.forEach(([, resolve], i) => resolve(found[i]))
        }, 2)
      })
    })
}

const server = new ApolloServer({
  typeDefs: `type Author { id: ID!, name: String!, books: [Book!]! }
    type Book { id: ID!, title: String!, author: Author! }
    type Query { books(first: Int): [Book!]!, author(id: ID!): Author }
    type Mutation { rename(id: ID!, title: String!): Book }`,
  resolvers: {
    Query: { books: async (_, { first = 20 }) => books.slice(0, first), author: (_, { id }, { author }) => author(id) },
    Mutation: {
      rename: async (_, { id, title }) => {
        const book = books[Number(id) % books.length]
        await new Promise((done) => setImmediate(done))
        book.title = title
        return book
      },
    },
    Book: { author: (book, _, { author }) => author(book.author) },
    Author: { books: async (author) => books.filter((b) => b.author === author.id) },
  },
})
await startStandaloneServer(server, { listen: { port: Number(port), host: '127.0.0.1' }, context: async () => ({ author: loader((ids) => ids.map((id) => authors[Number(id)])) }) })
