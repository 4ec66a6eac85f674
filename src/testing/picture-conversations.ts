/** Conversations with pictures, written in each dialect, that give the same request. */
import type { ChatMessage } from '../core/chat.ts'
import { type Content, type SentImagePart, textContent } from '../core/content.ts'

export interface PictureConversation {
  readonly name: string
  /** Fields beside `model` and the limit of messages. */
  readonly chat: object
  readonly responses: object
  readonly messages: object
  /** Messages of the request, without the JSON paths of pictures, which differ between dialects. */
  readonly canonical: readonly ChatMessage[]
}

/** Returns the conversations. `url` is a `data:` URL of a PNG file; `question` is the user's last text. */
export function pictureConversations(url: string, question = 'And this?'): PictureConversation[] {
  const chatPart = { type: 'image_url', image_url: { url } }
  const inputPart = { type: 'input_image', image_url: url, detail: 'auto' }
  const block = { type: 'image', source: { data: url.replace(/^.*,/, ''), media_type: 'image/png', type: 'base64' } }
  const picture: SentImagePart = { type: 'sent-image', url, detail: 'auto', param: '' }
  const text = (type: string, words: string) => ({ type, text: words })
  const inline: Content = [...textContent('First:'), picture, ...textContent('Second:'), picture, picture]
  const seen: Content = [...textContent('Read.'), picture]
  return [
    {
      name: 'texts and pictures in turns, then both compared',
      chat: {
        messages: [
          {
            role: 'user',
            content: [text('text', 'First:'), chatPart, text('text', 'Second:'), chatPart, chatPart],
          },
          { role: 'assistant', content: 'Two.' },
          { role: 'user', content: [chatPart, text('text', question)] },
        ],
      },
      responses: {
        input: [
          {
            role: 'user',
            content: [text('input_text', 'First:'), inputPart, text('input_text', 'Second:'), inputPart, inputPart],
          },
          { role: 'assistant', content: [text('output_text', 'Two.')] },
          { role: 'user', content: [inputPart, text('input_text', question)] },
        ],
      },
      messages: {
        messages: [
          { role: 'user', content: [text('text', 'First:'), block, text('text', 'Second:'), block, block] },
          { role: 'assistant', content: 'Two.' },
          { role: 'user', content: [block, text('text', question)] },
        ],
      },
      canonical: [
        { role: 'user', content: inline },
        { role: 'assistant', content: textContent('Two.') },
        { role: 'user', content: [picture, ...textContent(question)] },
      ],
    },
    {
      name: 'a picture that a tool read',
      chat: {
        messages: [
          { role: 'user', content: question },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: [text('text', 'Read.'), chatPart] },
        ],
      },
      responses: {
        input: [
          { role: 'user', content: question },
          { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: [text('input_text', 'Read.'), inputPart] },
        ],
      },
      messages: {
        messages: [
          { role: 'user', content: question },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read', input: {} }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'c1', content: [text('text', 'Read.'), block] }],
          },
        ],
      },
      canonical: [
        { role: 'user', content: textContent(question) },
        { role: 'assistant', content: [], toolCalls: [{ id: 'c1', name: 'read', argumentsText: '{}' }] },
        { role: 'tool', content: seen, toolCallId: 'c1' },
      ],
    },
  ]
}
