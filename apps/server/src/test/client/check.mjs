// OpenAI's own client against a running server: node check.mjs URL. Run by scripts/openai-client.sh.
import assert from 'node:assert/strict'
import OpenAI from 'openai'

const baseURL = process.argv[2]
const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 })
const messages = [{ role: 'user', content: 'Tell me a story.' }]
let checks = 0

async function check(name, body) {
  await body()
  checks++
  console.log(`  ok  ${name}`)
}

const { data } = await client.models.list()
const model = data[0].id

await check('chat: usage and finish_reason', async () => {
  const chat = await client.chat.completions.create({ model, messages, max_tokens: 12 })
  assert.equal(typeof chat.choices[0].message.content, 'string')
  assert.ok(['length', 'stop'].includes(chat.choices[0].finish_reason))
  assert.equal(chat.usage.total_tokens, chat.usage.prompt_tokens + chat.usage.completion_tokens)
})

await check('chat: a stream gives what the whole answer gives', async () => {
  const asked = { model, messages, max_tokens: 24, seed: 5, temperature: 0.8 }
  const whole = await client.chat.completions.create(asked)
  const stream = await client.chat.completions.create({
    ...asked,
    stream: true,
    stream_options: { include_usage: true }
  })
  let text = ''
  let usage
  let finish
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta?.content ?? ''
    finish = chunk.choices[0]?.finish_reason ?? finish
    usage = chunk.usage ?? usage
  }
  assert.equal(text, whole.choices[0].message.content)
  assert.equal(finish, whole.choices[0].finish_reason)
  assert.deepEqual(usage, whole.usage)
})

await check('chat: the helper that collects a stream', async () => {
  const runner = client.chat.completions.stream({ model, messages, max_tokens: 8, logprobs: true, top_logprobs: 2 })
  const final = await runner.finalChatCompletion()
  assert.equal(final.choices[0].logprobs.content.length > 0, true)
  assert.equal(final.choices[0].logprobs.content[0].top_logprobs.length, 2)
})

await check('completions: n, seed, logprobs', async () => {
  const asked = { model, prompt: 'Once upon a time', max_tokens: 10, n: 2, seed: 9, logprobs: 3 }
  const first = await client.completions.create(asked)
  const again = await client.completions.create(asked)
  assert.equal(first.choices.length, 2)
  assert.deepEqual(first.choices.map((c) => c.text), again.choices.map((c) => c.text))
  const { tokens, token_logprobs, text_offset } = first.choices[0].logprobs
  assert.equal(tokens.length, token_logprobs.length)
  assert.equal(tokens.length, text_offset.length)
})

await check('completions: a stop string is not part of the text', async () => {
  const asked = { model, prompt: 'Once upon a time', max_tokens: 40, temperature: 0 }
  const whole = (await client.completions.create(asked)).choices[0].text
  const stop = whole.slice(5, 8)
  const cut = (await client.completions.create({ ...asked, stop: [stop] })).choices[0]
  assert.equal(cut.text, whole.slice(0, whole.indexOf(stop)))
  assert.equal(cut.finish_reason, 'stop')
})

await check('errors: the classes of the client, with the field', async () => {
  const bad = await client.completions.create({ model, prompt: 'x', max_tokens: 0 }).catch((e) => e)
  assert.ok(bad instanceof OpenAI.BadRequestError, String(bad))
  assert.equal(bad.param, 'max_tokens')
  const unknown = await client.completions.create({ model: 'no-such', prompt: 'x' }).catch((e) => e)
  assert.ok(unknown instanceof OpenAI.NotFoundError, String(unknown))
  assert.equal(unknown.code, 'model_not_found')
})

await check('going away in the middle of a stream harms nobody', async () => {
  const stream = await client.completions.create({ model, prompt: 'x', max_tokens: 400, stream: true })
  for await (const chunk of stream) {
    assert.ok(chunk.choices)
    break
  }
  const next = await client.completions.create({ model, prompt: 'x', max_tokens: 2 })
  assert.ok(next.usage.completion_tokens >= 1)
})

console.log(`openai ${OpenAI.VERSION ?? ''}: ${checks} checks passed`)
