import { expect, test } from 'bun:test'
import { type ListedModel, namedModel, usualModel } from './choose-model.ts'
import { CommandError } from './io.ts'

const listed = (id: string, type: string, status = 'ready', aliases: string[] = []): ListedModel => {
  return { id, type, status, aliases, reason: status === 'broken' ? 'weights.gguf is cut' : undefined }
}

const models = [
  listed('inferd/starter-chat', 'vision'),
  listed('a/chat', 'chat', 'ready', ['quick']),
  listed('b/chat', 'chat'),
  listed('c/far', 'chat', 'available'),
  listed('c/coming', 'chat', 'downloading'),
  listed('c/cut', 'chat', 'broken'),
  listed('inferd/starter-stt', 'stt'),
]

test('the usual model is a loaded one, then one that the operator has fetched, then the starter', () => {
  expect(usualModel(models, { kind: 'chat' }, ['b/chat', 'inferd/starter-stt'])).toEqual({
    name: 'b/chat',
    id: 'b/chat',
  })
  expect(usualModel(models, { kind: 'chat' }, []).id).toBe('a/chat')
  expect(usualModel(models, { kind: 'transcribe' }, []).id).toBe('inferd/starter-stt')
  expect(() => usualModel(models, { kind: 'speak' }, [])).toThrow("there is no model of type tts; 'inferd list' shows")
})

test('a model with the capability that the work needs comes first, if there is one', () => {
  const translator = { ...listed('d/translator', 'stt'), capabilities: { translation: true } }
  const choose = (capability: string) =>
    usualModel([...models, translator], { kind: 'transcribe', capability }, ['inferd/starter-stt']).id
  expect(choose('translation')).toBe('d/translator')
  expect(choose('diarization')).toBe('inferd/starter-stt')
})

test.each([
  ['a/chta', 'there is no model a/chta (did you mean "a/chat"?)', 1],
  ['inferd/starter-stt', 'is of type stt; this command takes a model of type chat or vision', 1],
  ['c/far', "c/far is not on this disk; 'inferd pull c/far' downloads it", 1],
  ['c/coming', 'c/coming is being downloaded', 3],
  ['c/cut', 'c/cut cannot be used: weights.gguf is cut', 1],
])('%s is refused with the next step', (name, text, exitCode) => {
  const choose = () => namedModel(models, 'chat', name)
  expect(choose).toThrow(text)
  try {
    choose()
  } catch (error) {
    expect(error).toBeInstanceOf(CommandError)
    expect(error).toMatchObject({ exitCode })
  }
})

test('a request names an alias, a load the model', () => {
  expect(namedModel(models, 'chat', 'quick')).toEqual({ name: 'quick', id: 'a/chat' })
})
