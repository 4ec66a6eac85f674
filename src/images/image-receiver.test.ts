/** Tests with real files and threads. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ContentPart, textContent } from '../core/content.ts'
import { ApiError, toApiError } from '../core/errors.ts'
import { Spool, spoolDefaults } from '../spool/spool.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { testImageLimits } from '../testing/image-limits.ts'
import { pictureFixtures } from '../testing/picture-fixtures.ts'
import { chunk, paint, toDataUrl, toPng } from '../testing/pictures.ts'
import { ImageFetcher } from './fetch/image-fetcher.ts'
import type { ImageLimits } from './image-limits.ts'
import { ImageReceiver, type ImageReceiverOptions } from './image-receiver.ts'
import { type ImageBytes, takeImages } from './sent-images.ts'

let folder = ''
let kept = new AsyncDisposableStack()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-images-'))
  kept = new AsyncDisposableStack()
})

afterEach(async () => {
  await kept.disposeAsync()
  expect(files()).toEqual([])
  rmSync(folder, { recursive: true })
})

const files = () => (existsSync(join(folder, 'spool')) ? readdirSync(join(folder, 'spool')) : [])

function sentPart(url: string, index: number): ContentPart {
  return { type: 'sent-image', url, detail: 'high', param: `messages[0].content[${index}]` }
}

async function receive(
  urls: readonly string[],
  limits: Partial<ImageLimits> = {},
  sizesOnly = false,
  accountLimitBytes: number = spoolDefaults.accountLimitBytes,
  role: 'user' | 'tool' = 'user',
) {
  const spool = new Spool({ folder: join(folder, 'spool'), ...spoolDefaults, accountLimitBytes })
  const fetcher = new ImageFetcher({ isAllowed: false, userAgent: 'inferd/test' })
  const receiver = new ImageReceiver({ spool, limits: { ...testImageLimits, ...limits }, fetcher })
  const { images } = takeImages(chatRequest({ messages: [{ role, content: urls.map(sentPart) }] }))
  const steps: string[] = []
  const parts = await receiver.receive(images, {
    accountId: 'a',
    sizesOnly,
    signal: new AbortController().signal,
    keep: (file) => kept.use(file),
    onStored: () => steps.push(`stored ${files().length}`),
  })
  return { parts, steps }
}

const pathOf = (part: ContentPart | undefined) => (part?.type === 'image' ? part.path : 'no picture')
const hashOf = (part: ContentPart | undefined) => (part?.type === 'image' ? part.hash : 'no picture')

async function refusal(urls: readonly string[], limits: Partial<ImageLimits> = {}, accountLimitBytes?: number) {
  const received = receive(urls, limits, false, accountLimitBytes)
  const error = toApiError(await received.then(Object, (thrown: unknown) => thrown))
  expect(files()).toEqual([])
  return { kind: error.kind, code: error.code, param: error.param, message: error.message }
}

const small = toPng(paint(3, 2, () => [10, 20, 30]))

/** Returns a PNG with a header of this size and no pixels. */
function claiming(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([small.subarray(0, 8), chunk('IHDR', header)])
}

test('pictures become files, as they came, in their order', async () => {
  const other = toPng(paint(5, 4, () => [1, 2, 3]))
  const { parts, steps } = await receive([toDataUrl(small), toDataUrl(other, 'text/html')])
  expect(parts).toMatchObject([
    { type: 'image', width: 3, height: 2, orientation: 1, detail: 'high', param: 'messages[0].content[0]' },
    { type: 'image', width: 5, height: 4, param: 'messages[0].content[1]' },
  ])
  expect(parts.map((part) => readFileSync(pathOf(part)).equals(small))).toEqual([true, false])
  expect(hashOf(parts[0])).toBe(new Bun.CryptoHasher('sha256').update(small).digest('hex'))
  expect(steps).toEqual(['stored 2'])
})

test('WebP is stored as PPM, under the hash of what came', async () => {
  const bytes = pictureFixtures().find(({ name }) => name === 'rotated.webp')?.bytes ?? Buffer.alloc(0)
  const { parts } = await receive([toDataUrl(bytes)])
  expect(parts).toMatchObject([{ width: 32, height: 48, orientation: 6 }])
  expect(hashOf(parts[0])).toBe(new Bun.CryptoHasher('sha256').update(bytes).digest('hex'))
  expect(readFileSync(pathOf(parts[0])).toString('latin1', 0, 9)).toBe('P6\n32 48\n')
})

test('where sizes alone are wanted, nothing is written', async () => {
  const { parts } = await receive(
    pictureFixtures().map(({ bytes }) => toDataUrl(bytes)),
    {},
    true,
  )
  expect(new Set(parts.map(pathOf))).toEqual(new Set(['']))
  expect(files()).toEqual([])
})

const second = 'messages[0].content[1]'
const limits = { bytes: 500, sidePixels: 100, megapixels: 1, count: 2 }

test('a limit that is kept is no problem', async () => {
  const bytes = Buffer.concat([claiming(100, 100), Buffer.alloc(500)]).subarray(0, 500)
  const { parts } = await receive([toDataUrl(bytes), toDataUrl(bytes)], limits)
  expect(parts).toHaveLength(2)
})

test.each([
  ['a file that is too large', Buffer.concat([small, Buffer.alloc(500)]), 'payload_too_large', 'at most 500 bytes'],
  ['a side that is too long', claiming(101, 1), 'invalid_image', '101 x 1 pixels; at most 100 a side'],
  ['the claim of huge sides', claiming(20_000, 20_000), 'invalid_image', '20000 x 20000 pixels; at most 100 a side'],
])('%s is refused before anything is written', async (_name, bytes, code, words) => {
  const error = await refusal([toDataUrl(small), toDataUrl(bytes)], limits)
  expect(error).toMatchObject({ code, param: second })
  expect(error.message).toContain(`'${second}': `)
  expect(error.message).toContain(words)
})

test('sides that are allowed may have too many pixels together', async () => {
  const error = await refusal([toDataUrl(claiming(16_384, 16_384))])
  expect(error).toMatchObject({ code: 'invalid_image', kind: 'invalid_request' })
  expect(error.message).toContain('at most 40 million are read. Send a smaller picture.')
})

test('pictures beyond the limit of a request are refused, naming the first of them', async () => {
  expect(
    await refusal(
      [small, small, small].map((bytes) => toDataUrl(bytes)),
      limits,
    ),
  ).toMatchObject({
    code: 'too_many_images',
    param: 'messages[0].content[2]',
  })
})

test('pictures that never fit the share of the account together are refused before anything is decoded', async () => {
  const webp = pictureFixtures().find(({ name }) => name === 'lossy.webp')?.bytes ?? Buffer.alloc(0)
  // These cannot be decoded. Another error shows that the decoder did not even try.
  const cut = toDataUrl(webp.subarray(0, 60))
  const limitBytes = 2 * (48 * 32 * 3 + 13)
  expect(await refusal([cut, cut], {}, limitBytes)).toMatchObject({ code: 'invalid_image' })
  const error = await refusal([cut, cut, toDataUrl(small)], {}, limitBytes)
  expect(error).toMatchObject({ kind: 'payload_too_large', param: undefined })
  expect(error.message).toContain('Send fewer or smaller pictures.')
})

test.each([
  ['data:image/png;base64,*', 'its base64 is damaged'],
  [toDataUrl(Buffer.from('<html></html>'), 'text/html'), 'it is a file of the format HTML'],
  [toDataUrl(small.subarray(0, 20)), 'its PNG header is cut short'],
])('what cannot be read is refused: %s', async (url, reason) => {
  const { code, param, message } = await refusal([toDataUrl(small), url])
  expect({ code, param }).toEqual({ code: 'invalid_image', param: second })
  expect(message).toBe(`'${second}': the picture cannot be read: ${reason}. Send a PNG, JPEG, GIF, BMP or WebP file.`)
})

test('a WebP whose pixels are damaged is refused when it is decoded, and leaves nothing', async () => {
  const bytes = pictureFixtures().find(({ name }) => name === 'lossy.webp')?.bytes ?? Buffer.alloc(0)
  const error = await refusal([toDataUrl(bytes.subarray(0, 60))])
  expect(error).toMatchObject({ code: 'invalid_image', param: 'messages[0].content[0]' })
})

test.each([
  small.toString('base64'),
  ` ${small.toString('base64url')}`,
  `${small.toString('base64').slice(0, 70)}\n${small.toString('base64').slice(70)}`,
])('bare base64 that is a picture is read as one: %j', async (url) => {
  const { parts } = await receive([url])
  expect(readFileSync(pathOf(parts[0])).equals(small)).toBe(true)
})

test('bare base64 that is a damaged picture is refused as one', async () => {
  const cut = small.subarray(0, 20).toString('base64')
  expect(await refusal([cut])).toMatchObject({ code: 'invalid_image' })
  expect((await refusal([`${small.toString('base64')}*`])).message).toContain('its base64 is damaged')
})

test('in the place of a picture of a tool that cannot be used stands a remark', async () => {
  const webp = pictureFixtures().find(({ name }) => name === 'lossy.webp')?.bytes ?? Buffer.alloc(0)
  const unusable = [
    'data:image/png;base64,*',
    toDataUrl(claiming(20_000, 20_000)),
    toDataUrl(webp.subarray(0, 60)),
    'https://pictures.example/a.png',
    'file:///etc/passwd',
    '',
  ]
  const { parts } = await receive([toDataUrl(small), ...unusable], {}, false, undefined, 'tool')
  const remark = { type: 'text', text: '[image omitted: it cannot be read]' }
  expect(parts).toMatchObject([{ type: 'image' }, ...unusable.map(() => remark)])
})

test('what is wrong with the request as a whole is refused with pictures of tools too', async () => {
  const urls = [toDataUrl(small), toDataUrl(small)]
  for (const [limits, bytes, code] of [
    [{ count: 1 }, undefined, 'too_many_images'],
    [{}, small.length, 'payload_too_large'],
  ] as const) {
    const refused = receive(urls, limits, false, bytes, 'tool')
    expect(toApiError(await refused.then(Object, (thrown: unknown) => thrown))).toMatchObject({ code })
  }
})

test.each([
  ['https://pictures.example/a.png', 'this server fetches no pictures from elsewhere', 'image-urls'],
  ['file:///etc/passwd', 'begins neither with data:', 'data:image/png;base64,'],
  ['aGVsbG8gd29ybGQ', 'is not a URL', 'data:image/png;base64,'],
  ['', 'is not a URL', 'data:image/png;base64,'],
])('the address %j is refused where none are allowed', async (url, problem, advice) => {
  const { code, message } = await refusal([url])
  expect(code).toBe('invalid_image_url')
  expect(message).toContain(problem)
  expect(message).toContain(advice)
})

/** Fetches pictures with `answer` in place of the network, until the signal aborts. */
async function fetchAll(
  urls: readonly string[],
  answer: (url: string) => Promise<ImageBytes>,
  {
    signal = new AbortController().signal,
    ...options
  }: { signal?: AbortSignal } & Pick<ImageReceiverOptions, 'fetchesLimitMs' | 'decodeWebp'> = {},
) {
  let running = 0
  const fetcher: ImageReceiverOptions['fetcher'] = {
    async fetch({ url, signal: ending }) {
      running++
      const ended = Promise.withResolvers<never>()
      ending.addEventListener('abort', () => ended.reject(ending.reason))
      try {
        return { ...(await Promise.race([answer(url), ended.promise])), [Symbol.dispose]: () => undefined }
      } finally {
        running--
      }
    },
  }
  const spool = new Spool({ folder: join(folder, 'spool'), ...spoolDefaults })
  const receiver = new ImageReceiver({
    spool,
    limits: testImageLimits,
    fetcher,
    ...options,
  })
  const { images } = takeImages(chatRequest({ messages: [{ role: 'user', content: urls.map(sentPart) }] }))
  const receiving = receiver.receive(images, {
    accountId: 'a',
    sizesOnly: options.decodeWebp === undefined,
    signal,
    keep: (file) => kept.use(file),
    onStored: () => undefined,
  })
  const error = await receiving.then(
    () => undefined,
    (thrown: unknown) => toApiError(thrown),
  )
  expect(running).toBe(0)
  return error
}

const fetched: ImageBytes = {
  bytes: new Uint8Array(small),
  hash: 'a',
  header: { format: 'PNG', width: 3, height: 2, orientation: 1 },
}

test('pictures from elsewhere have a time limit together', async () => {
  const answer = (url: string) =>
    url === 'https://fast/' ? Promise.resolve(fetched) : new Promise<never>(() => undefined)
  const error = await fetchAll(['https://fast/', 'https://slow/', 'https://slow/'], answer, { fetchesLimitMs: 50 })
  expect(error).toMatchObject({ code: 'invalid_image_url', param: second })
  expect(error?.message).toContain('the pictures of the request do not arrive within 0.05 seconds.')
})

test('the first picture that does not come ends the wait for the others', async () => {
  const answer = (url: string) =>
    url === 'https://gone/'
      ? Promise.reject(new ApiError('invalid_request', 'gone', { code: 'invalid_image_url' }))
      : new Promise<never>(() => undefined)
  expect((await fetchAll(['https://slow/', 'https://gone/'], answer))?.message).toBe('gone')
})

test('pictures that all come are no failure, and a client that leaves is not waited for', async () => {
  expect(await fetchAll(['https://a/', 'https://b/'], async () => fetched)).toBeUndefined()
  const controller = new AbortController()
  const answer = () => {
    controller.abort(new ApiError('invalid_request', 'left', { code: 'invalid_image_url' }))
    return new Promise<never>(() => undefined)
  }
  expect((await fetchAll(['https://a/'], answer, controller))?.message).toBe('left')
})

test('pictures from elsewhere have the limits of others', async () => {
  const huge = { ...fetched, header: { ...fetched.header, width: 20_000 } }
  const error = await fetchAll(['https://a/', 'https://huge/'], async (url) => (url === 'https://a/' ? fetched : huge))
  expect(error).toMatchObject({ code: 'invalid_image', param: second })
})

test('pictures from elsewhere count into what a request may store', async () => {
  const large = { ...fetched, header: { ...fetched.header, format: 'WebP', width: 6_000, height: 6_000 } }
  const decodeWebp = async () => new Uint8Array(1)
  const urls = Array.from({ length: 20 }, (_, index) => `https://${index}/`)
  expect(await fetchAll(urls.slice(0, 19), async () => large, { decodeWebp })).toBeUndefined()
  expect(await fetchAll(urls, async () => large, { decodeWebp })).toMatchObject({ kind: 'payload_too_large' })
})

test('one WebP is decoded at a time', async () => {
  let [running, largest, decoded] = [0, 0, 0]
  const decodeWebp = async () => {
    largest = Math.max(largest, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    decoded++
    return new Uint8Array(1)
  }
  const webp = { ...fetched, header: { ...fetched.header, format: 'WebP' } }
  expect(await fetchAll(['https://a/', 'https://b/', 'https://c/'], async () => webp, { decodeWebp })).toBeUndefined()
  expect({ largest, decoded }).toEqual({ largest: 1, decoded: 3 })
})

test('texts around pictures stay where they are, without the URLs', () => {
  const content = [...textContent('a'), sentPart(toDataUrl(small), 0), ...textContent('b')]
  const tool = { role: 'tool', content: [sentPart('https://a/', 1)] } as const
  const { request, images } = takeImages(chatRequest({ messages: [{ role: 'user', content }, tool] }))
  expect(request.messages[0]?.content).toMatchObject([{ text: 'a' }, { type: 'sent-image', url: '' }, { text: 'b' }])
  expect(images.map(({ isToolResult, content: { kind } }) => ({ isToolResult, kind }))).toEqual([
    { isToolResult: false, kind: 'bytes' },
    { isToolResult: true, kind: 'url' },
  ])
})
