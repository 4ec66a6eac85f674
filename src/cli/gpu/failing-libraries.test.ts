/** Messages of a running server and of commands about GPU libraries that do not compute. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runtimePaths } from '../../engines/runtime/runtime-paths.ts'
import { startServedProcess } from '../../testing/served-process.ts'
import type { StubMode } from '../../testing/stub-backend/stub-backend.ts'
import { type StubCheckoutOptions, stubCheckout } from '../../testing/stub-backend/stub-checkout.ts'
import { type StubProvider, stubProvider } from '../../testing/stub-provider.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-libraries-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Said = Awaited<ReturnType<typeof said>>

interface Failure {
  readonly label: string
  readonly kind: 'llama' | 'onnx'
  readonly reason: string
  readonly nextStep: string
  /** Words that name the engines and the backend that they use instead. */
  readonly instead: string
}

/** Returns all messages of a server with these libraries, after a chat and an embedding. */
async function said(options: StubCheckoutOptions) {
  const { program, environment } = await stubCheckout(folder, options)
  await using server = await startServedProcess(['--admin', 'loopback'], environment, program)
  const origin = new URL(server.baseUrl).origin
  const ask = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json', origin, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const command = async (...words: string[]) => {
    const child = Bun.spawn([...program, ...words, '--data', server.dataDir], {
      env: environment,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    return child.stdout.text()
  }
  const messages = [{ role: 'user', content: 'hello' }]
  await ask('/v1/chat/completions', { model: 'inferd/starter-chat', messages, max_tokens: 4 })
  await ask('/v1/embeddings', { model: 'inferd/starter-embed', input: 'hello' })
  const [ps, doctor, gpu, link] = await Promise.all([
    command('ps'),
    command('doctor'),
    command('gpu'),
    command('admin', 'link', '--json'),
  ])
  const metrics = await (await ask('/metrics')).text()
  const token = new URL(JSON.parse(link).link).hash.slice(1)
  const signedIn = await ask('/admin/api/setup', { token, name: 'Operator', password: 'correct horse battery' })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const overview = await firstEvent(await ask('/admin/api/events?topics=notices', undefined, { cookie }))
  return { ps, doctor, gpu, metrics, overview, log: await server.stop() }
}

/** Returns the data of a stream's first event. */
async function firstEvent(response: Response): Promise<string> {
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk)
    if (/^data: .*\n\n/m.test(text)) break
  }
  return text
}

const noCode = 'it has no machine code for compute capability 9.0'
const failures: readonly (readonly [StubMode, reason: string, nextStep: string])[] = [
  ['ABORTS', 'it ended its process (signal SIGABRT)', "see 'inferd logs', and update the driver"],
  ['OLD_DRIVER', 'the driver is too old for this library: it needs a newer one', 'update the driver'],
  [
    'LACKS_SYMBOL',
    'its library does not fit this system: symbol cuNotInThisDriver is missing',
    'update the driver, and look for older copies of the library in LD_LIBRARY_PATH',
  ],
  [
    'NO_KERNEL',
    `the card's architecture is not in the build: ${noCode}`,
    'build the library for this card: ./install.sh --cuda',
  ],
  ['OUT_OF_MEMORY', 'out of memory', 'end what else uses the card, or unload models'],
]

/** Returns a server's text without the parts that differ between runs. */
function shown(text: string): string {
  return text.replaceAll(/ --data [^\s']+/g, '').replaceAll(/'\S+(?: \S+main\.ts|\/test-program\/inferd) /g, "'inferd ")
}

function expectEverywhere(words: Said, { label, kind, reason, nextStep, instead }: Failure): void {
  const problem = `${label} does not compute: ${reason}; ${instead} instead`
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
  const severity = words.doctor.split('\n').find((line) => shown(line).endsWith(`${problem}; ${nextStep}`))
  expect(severity ?? words.doctor).toStartWith('PROBLEM ')
  expect(shown(words.ps).split('\n')).toContain(`${problem}; ${nextStep}.`)
  expect(shown(words.gpu).split('\n')).toContain(`${label} does not compute: ${reason}; ${nextStep}.`)
  expect(shown(words.overview)).toContain(inJson(`${problem}. Next step: ${nextStep}`))
  expect(words.metrics.split('\n')).toContain(
    `inferd_backend_computes{engine="${kind}",backend="cuda",reason="${reason}"} 0`,
  )
  expect(shown(words.log)).toContain(inJson(`${label} (${kind}) does not compute: ${reason}; ${nextStep}`))
}

test.each(failures)(
  '%s: every place says why chat models use the CPU',
  async (mode, reason, nextStep) => {
    const words = await said({ builds: { cuda: mode } })
    expectEverywhere(words, {
      ...{ label: 'CUDA build', kind: 'llama', reason, nextStep },
      instead: 'chat models use CPU',
    })
  },
  120_000,
)

const providers: readonly (readonly [string, (stub: StubProvider) => void, reason: string, nextStep: string])[] = [
  [
    "lacks one of NVIDIA's libraries",
    (stub) => stub.compile('', 'libcudnn_graph.so.9'),
    'library libcudnn_graph.so.9 is missing',
    "run 'inferd gpu install --cudnn'",
  ],
  [
    'ends its process',
    (stub) => stub.compile('#include <cstdlib>\n__attribute__((constructor)) static void start() { abort(); }'),
    'it ended its process (signal SIGABRT)',
    "see 'inferd logs', and update the driver",
  ],
]

test.each(providers)(
  'a provider of ONNX Runtime that %s is told everywhere',
  async (_, prepare, reason, nextStep) => {
    const provider = stubProvider(await runtimePaths(''))
    try {
      prepare(provider)
      const words = await said({ builds: { cuda: 'COMPUTES' }, provider })
      expectEverywhere(words, {
        ...{ label: 'ONNX Runtime on CUDA', kind: 'onnx', reason, nextStep },
        instead: 'other models use ONNX Runtime on the CPU',
      })
      // The other candidate, of the same library, adds no message.
      for (const text of [words.ps, words.doctor, words.overview]) expect(text).not.toContain('without cuDNN')
      expect(words.ps).toMatch(/inferd\/starter-chat +ready +\d+ +cuda /)
      expect(words.ps).toMatch(/inferd\/starter-embed +ready +\d+ +cpu /)
    } finally {
      provider.remove()
    }
  },
  120_000,
)
