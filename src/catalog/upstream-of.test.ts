import { expect, test } from 'bun:test'
import { manifestToToml } from './manifest-to-toml.ts'
import { parseManifest } from './parse-manifest.ts'
import { withKeyFileOf } from './upstream-of.ts'

const servers = { flavor: 'vllm', model: 'Qwen/Qwen3-32B', endpoints: ['http://10.0.0.5:8000/v1'] }
const sound = { id: 'org/big', type: 'chat', engine: 'upstream', upstream: servers }

function problemOf(change: object): string {
  try {
    // The round trip through JSON removes undefined fields.
    parseManifest('x.toml', JSON.parse(JSON.stringify({ ...sound, ...change })), 'operator')
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'accepted'
}

const withServers = (change: object) => problemOf({ upstream: { ...servers, ...change } })

test('a manifest names the servers that serve its model', () => {
  const upstream = {
    ...servers,
    endpoints: ['HTTPS://GPU-1.example/v1/', 'http://[fd00::5]:8000'],
    key: { file: 'upstream.key' },
    max_concurrent: 16,
    max_waiting: 20,
  }
  const manifest = parseManifest('x', { ...sound, upstream }, 'operator')
  expect(manifest.upstream).toEqual({
    flavor: 'vllm',
    model: 'Qwen/Qwen3-32B',
    endpoints: ['https://gpu-1.example/v1', 'http://[fd00::5]:8000'],
    key: { file: 'upstream.key' },
    maxConcurrent: 16,
  })
  expect(manifest.settings).toEqual({ maxWaiting: 20 })
  expect(parseManifest('x', Bun.TOML.parse(manifestToToml(manifest)), 'operator')).toEqual(manifest)
  expect(parseManifest('x', sound, 'operator').upstream).toMatchObject({ key: undefined, maxConcurrent: 64 })
})

test("the path of a key file is relative to the manifest's folder", () => {
  const keyOf = (file: string) => {
    const manifest = parseManifest('x', { ...sound, upstream: { ...servers, key: { file } } }, 'operator')
    return withKeyFileOf(manifest, '/data/models.d/big.toml').upstream?.key
  }
  expect(keyOf('../keys/vllm')).toEqual({ file: '/data/keys/vllm' })
  expect(keyOf('/etc/inferd/vllm')).toEqual({ file: '/etc/inferd/vllm' })
})

test.each<[object, string]>([
  [
    { flavor: 'vlm' },
    '"upstream.flavor" must be one of vllm, sglang, trtllm, llamacpp, openai, inferd, not "vlm" (did you mean "vllm"?)',
  ],
  [{ flavour: 'vllm' }, 'unknown field "upstream.flavour" (did you mean "flavor"?)'],
  [{ model: '' }, '"upstream.model" must be the name of the model there, not ""'],
  [{ max_concurrent: 0 }, '"upstream.max_concurrent" must be a number of requests from 1 to 65536, not 0'],
  [{ max_waiting: 0 }, '"upstream.max_waiting" must be a whole number from 1 to 65536, not 0'],
  [{ endpoints: [] }, '"upstream.endpoints" must be a list of 1 to 256 URLs such as "http://10.0.0.5:8000/v1"'],
  [{ endpoints: 'http://user:secret@a/v1' }, '"upstream.endpoints" must be a list of 1 to 256 URLs'],
  [{ endpoints: ['10.0.0.5:8000/v1'] }, '"upstream.endpoints[0]" must be a URL such as "http://10.0.0.5:8000/v1"'],
  [
    { endpoints: ['ftp://a/v1'] },
    '"upstream.endpoints[0]" must be a URL such as "http://10.0.0.5:8000/v1": http or https',
  ],
  [{ endpoints: ['http://a/v1', 'http://a:99999/v1'] }, '"upstream.endpoints[1]" must be a URL'],
  [{ endpoints: ['http://a/v 1'] }, '"upstream.endpoints[0]" must be a URL'],
  [{ endpoints: [8000] }, '"upstream.endpoints[0]" must be a URL'],
  [{ endpoints: ['http://user:secret@a/v1'] }, '"upstream.endpoints[0]" has a user or a password: a key is named by'],
  [{ endpoints: ['http://a/v1?key=secret'] }, 'without a query or a fragment'],
  [
    { endpoints: ['http://a/v1/chat/completions/'] },
    '"upstream.endpoints[0]" must be the URL that all calls have in common, without "/chat/completions": "http://a/v1"',
  ],
  [{ endpoints: ['http://a/v1#'] }, 'without a query or a fragment'],
  [{ endpoints: ['http://a/v1', 'http://A:80/v1/'] }, '"upstream.endpoints[1]" is the same as endpoints[0]'],
  [{ key: 'secret' }, '"upstream.key" must not be the key itself: put it into a file'],
  [
    { key: { value: 'secret' } },
    '"upstream.key" must be { file = "upstream.key" } or { variable = "NAME_OF_A_VARIABLE" }',
  ],
  [{ key: { file: 'a', variable: 'B' } }, '"upstream.key" must be { file'],
  [{ key: { file: '' } }, '"upstream.key" must be { file'],
  [{ key: { variable: 'secret-secret' } }, '"upstream.key.variable" must be the name of an environment variable'],
])('a wrong table is refused: %j', (change, problem) => {
  expect(withServers(change)).toContain(`x.toml: ${problem.startsWith('without') ? '' : problem}`)
  expect(withServers(change)).toContain(problem)
  expect(withServers(change)).not.toContain('secret@')
  expect(withServers(change)).not.toMatch(/secret(?!-)/)
})

test('a table that is none is refused without quoting it', () => {
  expect(problemOf({ upstream: [{ ...servers, key: 'secret' }] })).toBe(
    'x.toml: "upstream" must be a table with flavor, model and endpoints',
  )
})

test.each<[object, string]>([
  [{ upstream: undefined }, 'engine "upstream" needs a table "upstream" with flavor, model and endpoints'],
  [{ files: [{ role: 'model', path: 'a.gguf' }] }, 'engine "upstream" has no "files"'],
  [
    { llama: { context_tokens: 1024 } },
    '"llama" has settings of another engine than the model\'s (did you mean "upstream"?)',
  ],
  [{ engine: 'fake' }, '"upstream" has settings of another engine than the model\'s (did you mean "fake"?)'],
  [
    { type: 'tts', upstream: { ...servers, flavor: 'trtllm' } },
    'servers of flavor "trtllm" have no models of type "tts", but of chat, vision',
  ],
  [{ capabilities: { diarization: true }, type: 'stt' }, 'no other server labels speakers'],
])('what does not go together with it is refused: %j', (change, problem) => {
  expect(problemOf(change)).toContain(problem)
})

test('only the operator names servers: manifests from elsewhere are refused', () => {
  expect(() => parseManifest('x', sound)).toThrow('only a manifest that you write into the folder models.d')
})
