import { expect, test } from 'bun:test'
import { starterTranscriber } from '../../../testing/starter-transcriber.ts'
import { runtimePaths } from '../../runtime-paths.ts'
import { openRecognizer } from './recognizer.ts'
import { recognizerKinds } from './recognizer-kinds.ts'

/** The addon frees what no JavaScript refers to, also while it computes it. Without a reference this ends the process. */
test('garbage collection does not free what is being recognised', async () => {
  const { filePaths } = starterTranscriber()
  const { sherpaOnnx } = await runtimePaths('')
  const kind = recognizerKinds['zipformer-ctc']
  const recognizer = await openRecognizer({
    sherpaOnnx,
    kind,
    pathOf: (role) => filePaths[role] ?? '',
    threads: 1,
    provider: 'cpu',
  })
  const samples = Float32Array.from({ length: 10 * 16_000 }, (_, at) => Math.sin(at / 20) / 5)
  for (let round = 0; round < 4; round++) {
    const all = [recognizer.recognize(samples), recognizer.recognize(samples), recognizer.recognize(samples)]
    for (let collection = 0; collection < 4; collection++) {
      Bun.gc(true)
      await Promise.resolve()
    }
    expect(await Promise.all(all)).toHaveLength(3)
  }
})
