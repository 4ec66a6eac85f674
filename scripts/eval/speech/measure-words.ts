import { commonVoices } from '../../../src/core/speech-model-settings.ts'
import { normalisedWords } from './normalise.ts'
import type { Recording } from './recordings.ts'
import { type Measured, percent, rightSpeakerShare, timeFigures, werFigure } from './report.ts'
import { type SpeechServer, speak, transcribe } from './speech-client.ts'
import { type TimedWordErrors, timedWordErrors } from './timed-words.ts'
import { alignWords, type WordErrors, wordErrorRate } from './word-errors.ts'

/** Measures sentences that the server speaks, in all voices in turn, and then transcribes. */
export async function measureRoundTrip(server: SpeechServer, sentences: readonly string[]) {
  const errors: WordErrors[] = []
  let [audioSeconds, speakMs, transcribeMs] = [0, 0, 0]
  for (const [index, sentence] of sentences.entries()) {
    const input = `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`
    const spoken = await speak(server, input, commonVoices[index % commonVoices.length] ?? '')
    const heard = await transcribe(server, spoken.file)
    audioSeconds += heard.lengthSeconds
    speakMs += spoken.ms
    transcribeMs += heard.ms
    errors.push(alignWords(normalisedWords(sentence), normalisedWords(heard.text)))
  }
  const shared = { recordings: sentences.length, audioSeconds }
  const rows: Measured[] = [
    { ...shared, name: 'sentences spoken', figures: [], workSeconds: speakMs / 1000 },
    { ...shared, name: 'the same transcribed', figures: [werFigure(errors)], workSeconds: transcribeMs / 1000 },
  ]
  return { rows, wordErrorRate: wordErrorRate(errors) }
}

/** Measures recordings with known words and times. `diarize` also measures the speaker of each word. */
export async function measureWords(
  server: SpeechServer,
  { name, recordings, diarize }: { name: string; recordings: readonly Recording[]; diarize: boolean },
) {
  const errors: TimedWordErrors[] = []
  let workMs = 0
  for (const { file, words } of recordings) {
    const heard = await transcribe(server, file, { diarize })
    workMs += heard.ms
    errors.push(timedWordErrors(words, heard.words))
  }
  const rightSpeakers = rightSpeakerShare(errors)
  const row: Measured = {
    name,
    recordings: recordings.length,
    audioSeconds: recordings.reduce((sum, { lengthSeconds }) => sum + lengthSeconds, 0),
    figures: [
      werFigure(errors),
      ...timeFigures(errors),
      ...(diarize ? [`right speaker for ${percent(rightSpeakers)} of the words`] : []),
    ],
    workSeconds: workMs / 1000,
  }
  return { row, rightSpeakers }
}
