import { chatSections } from './chat-examples.ts'
import type { ExampleSections } from './example.ts'
import { imagesSections } from './images-examples.ts'
import { messagesSections } from './messages-examples.ts'
import { moderationsSections } from './moderations-examples.ts'
import { ollamaSections } from './ollama-examples.ts'
import { promptSections } from './prompt-examples.ts'
import { responsesSections } from './responses-examples.ts'
import { speechSections } from './speech-examples.ts'
import { textsSections } from './texts-examples.ts'
import { tokensSections } from './tokens-examples.ts'

/** Examples for each row of docs/reference/fields.md, in the page's order. */
export const exampleSections: ExampleSections = {
  ...chatSections,
  ...promptSections,
  ...responsesSections,
  ...messagesSections,
  ...tokensSections,
  ...textsSections,
  ...moderationsSections,
  ...imagesSections,
  ...speechSections,
  ...ollamaSections,
}
