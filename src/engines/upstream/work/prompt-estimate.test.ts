import { expect, test } from 'bun:test'
import type { ImagePart } from '../../../core/content.ts'
import { chatRequest } from '../../../testing/chat-request.ts'
import { estimatePrompts, type PromptEstimate } from './prompt-estimate.ts'

/** Returns the estimate of a single text. */
function estimateOf(text: string): PromptEstimate {
  const [estimate] = estimatePrompts(chatRequest({ messages: [], prompts: [{ kind: 'text', text, param: 'prompt' }] }))
  if (estimate === undefined) throw new Error('no estimate')
  return estimate
}

/** Tokens of a text in the vocabularies of GPT-4o, GPT-4, Llama 2, Llama 3, Qwen 2.5 and Gemma. */
const counted: readonly (readonly [name: string, text: string, tokens: readonly number[]])[] = [
  [
    'English',
    'The quick brown fox jumps over the lazy dog. Please summarise the following article in three short paragraphs.',
    [21, 21, 24, 21, 21, 20],
  ],
  [
    'German',
    'Bitte fasse den folgenden Artikel in drei kurzen Absätzen zusammen. Die Donaudampfschifffahrtsgesellschaft fährt täglich.',
    [25, 35, 34, 35, 34, 25],
  ],
  [
    'French',
    "Résumez l'article suivant en trois courts paragraphes et dites ce qu'il y a de nouveau.",
    [21, 23, 26, 23, 23, 24],
  ],
  [
    'Vietnamese',
    'Hãy tóm tắt bài viết sau thành ba đoạn ngắn và cho biết có gì mới trong đó.',
    [23, 33, 45, 21, 22, 20],
  ],
  [
    'Russian',
    'Пожалуйста, кратко изложите следующую статью в трёх коротких абзацах и скажите, что в ней нового.',
    [30, 45, 42, 36, 40, 28],
  ],
  ['Greek', 'Παρακαλώ συνόψισε το παρακάτω άρθρο σε τρεις σύντομες παραγράφους.', [25, 62, 66, 26, 58, 27]],
  ['Arabic', 'من فضلك لخص المقال التالي في ثلاث فقرات قصيرة واذكر الجديد فيه.', [19, 41, 55, 21, 22, 18]],
  ['Hebrew', 'אנא סכם את המאמר הבא בשלוש פסקאות קצרות וציין מה חדש בו.', [21, 56, 56, 56, 21, 25]],
  ['Hindi', 'कृपया निम्नलिखित लेख को तीन छोटे अनुच्छेदों में सारांशित करें।', [23, 64, 68, 34, 59, 20]],
  ['Thai', 'โปรดสรุปบทความต่อไปนี้เป็นสามย่อหน้าสั้น ๆ และบอกว่ามีอะไรใหม่', [26, 62, 66, 28, 31, 22]],
  ['Chinese', '请用三个简短的段落总结以下文章,并说明其中有什么新内容。', [19, 27, 38, 20, 19, 19]],
  ['Japanese', '次の記事を三つの短い段落に要約し、何が新しいかを教えてください。', [25, 33, 38, 24, 22, 19]],
  ['Korean', '다음 기사를 세 개의 짧은 단락으로 요약하고 무엇이 새로운지 말해 주세요.', [24, 40, 57, 25, 25, 27]],
  [
    'TypeScript',
    'function add(a: number, b: number): number {\n  return a + b\n}\nconst xs = [1, 2, 3].map((x) => x * 2)\n',
    [41, 41, 45, 41, 41, 45],
  ],
  [
    'JSON',
    '{"items":[{"id":1,"name":"item 1","price":1.25,"tags":["a","b"]},{"id":2,"name":"item 2","price":2.5,"tags":[]}]}',
    [47, 46, 52, 46, 47, 50],
  ],
  ['digits', '3141592653589793238462643383279502884197169399375105820974944592', [22, 22, 64, 22, 64, 64]],
  ['hexadecimal', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', [43, 43, 59, 43, 59, 59]],
  ['signs', '!?#$%&()*+,-./:;<=>@[]^_`{|}~', [20, 19, 23, 19, 19, 18]],
  ['blank lines', '\n\n\n\n        \n\n\n\n        \n\n\n\n', [5, 5, 14, 5, 5, 5]],
]

test.each(counted)(
  '%s has more tokens than the least and fewer than the most, in every vocabulary',
  (_, text, tokens) => {
    const { leastTokens, usualTokens, mostTokens } = estimateOf(text)
    expect(leastTokens).toBeLessThanOrEqual(Math.min(...tokens))
    expect(mostTokens).toBeGreaterThanOrEqual(Math.max(...tokens))
    expect(usualTokens).toBe(Math.ceil(text.length / 3))
  },
)

/** Texts that some vocabularies split into single bytes. Tokens above the estimate are not charged. */
const beyond: readonly (readonly [name: string, text: string, tokens: readonly number[]])[] = [
  ['Amharic', 'እባክዎ የሚከተለውን ጽሑፍ በሦስት አጫጭር አንቀጾች ያጠቃልሉ።', [72, 99, 105, 99, 54, 38]],
  ['Base64', 'AO8f3x7PQQC9Bsdo0pYzqGDkWl9mJ1TzVtYh0o2rXcJqvZ8uKf4sEi7LbN5aCMH', [55, 56, 61, 56, 56, 47]],
]

test.each(beyond)('%s stays below the most in some vocabularies, and never has twice as many', (_, text, tokens) => {
  const { mostTokens } = estimateOf(text)
  expect(tokens.filter((count) => count <= mostTokens).length).toBeGreaterThan(1)
  expect(Math.max(...tokens)).toBeLessThan(mostTokens * 2)
})

test('prompts of token ids have as many tokens as they have', () => {
  const request = chatRequest({ messages: [], prompts: [{ kind: 'tokens', tokens: [1, 2, 3], param: 'prompt' }] })
  expect(estimatePrompts(request)).toEqual([{ leastTokens: 3, usualTokens: 3, mostTokens: 3 }])
})

const picture: ImagePart = {
  ...{ type: 'image', hash: 'a', path: '', detail: 'auto', width: 1400, height: 700, orientation: 1, param: 'image' },
}

test('everything that a template may show counts: frames, names, calls, thinking, tools, pictures', () => {
  const plain = chatRequest()
  const [before] = estimatePrompts(plain)
  const parts = [
    { messages: [...plain.messages, ...plain.messages] },
    { messages: plain.messages.map((message) => ({ ...message, name: 'Someone' })) },
    { messages: plain.messages.map((message) => ({ ...message, reasoning: 'Long thoughts' })) },
    {
      messages: plain.messages.map((message) => ({
        ...message,
        toolCalls: [{ id: 'a', name: 'search', argumentsText: '{"for":"it"}' }],
      })),
    },
    { messages: plain.messages.map((message) => ({ ...message, content: [picture] })) },
    { tools: [{ name: 'search', description: 'Looks it up', parameters: { type: 'object' } }] },
    { answerSchema: { type: 'object', properties: { word: { type: 'string' } } } },
  ]
  for (const part of parts) {
    const [estimate] = estimatePrompts(chatRequest(part))
    expect(estimate?.mostTokens).toBeGreaterThan(before?.mostTokens ?? Number.POSITIVE_INFINITY)
  }
})

test('a picture has the tokens of its size, within what models make of large and small ones', () => {
  const of = (width: number, height: number) => {
    const message = { role: 'user', content: [{ ...picture, width, height }] } as const
    const [estimate] = estimatePrompts(chatRequest({ messages: [message] }))
    return [estimate?.usualTokens, estimate?.mostTokens]
  }
  expect(of(1400, 700)).toEqual([50 * 25 + 4, 100 * 50 + 16])
  expect(of(1, 1)).toEqual([64 + 4, 1_024 + 16])
  expect(of(20_000, 20_000)).toEqual([4_096 + 4, 16_384 + 16])
})
