// Dynalite, a DynamoDB on LevelDB: items are put, updated under a condition, read and queried.
import { crowd, send } from '../load.mjs'

const credential = 'AWS4-HMAC-SHA256 Credential=a/20200101/us-east-1/dynamodb/aws4_request'
const ask = (url, operation, body) =>
  send(url, 'POST', JSON.stringify(body), {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${operation}`,
    'x-amz-date': '20200101T000000Z',
    authorization: `${credential}, SignedHeaders=host, Signature=a`,
  })

const TableName = 'orders'
const key = (user, n) => ({ customer: { S: `c${user}` }, number: { N: String(n) } })

export default {
  title: 'Dynalite',
  package: ['npm', 'dynalite'],
  command: ({ module, port }) => ({
    program: module('dynalite/cli.js'),
    args: ['--host', '127.0.0.1', '--port', String(port), '--createTableMs', '10'],
    ready: '',
  }),
  async load(url, until) {
    await ask(url, 'CreateTable', {
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'customer', AttributeType: 'S' },
        { AttributeName: 'number', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'customer', KeyType: 'HASH' },
        { AttributeName: 'number', KeyType: 'RANGE' },
      ],
    })
    while (!(await ask(url, 'DescribeTable', { TableName })).includes('"ACTIVE"'));
    return crowd(8, 40, until, (user, turn) => {
      const Key = key(user, turn % 40)
      const step = turn % 4
      if (step === 0) return ask(url, 'PutItem', { TableName, Item: { ...Key, text: { S: `order ${turn}` } } })
      if (step === 1)
        return ask(url, 'UpdateItem', {
          TableName,
          Key,
          UpdateExpression: 'ADD changes :one',
          ExpressionAttributeValues: { ':one': { N: '1' } },
        })
      if (step === 2) return ask(url, 'GetItem', { TableName, Key })
      return ask(url, 'Query', {
        TableName,
        KeyConditionExpression: 'customer = :c',
        ExpressionAttributeValues: { ':c': Key.customer },
        Limit: 20,
      })
    })
  },
}
