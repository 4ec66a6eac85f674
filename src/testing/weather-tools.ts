import { jsonSchema, tool } from 'ai'

/** Schema of the tool's argument. */
export const city = jsonSchema<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
})

/** One tool with an implementation, for tests of the Vercel AI SDK. */
export const tools = {
  weather: tool({
    description: 'Tells the weather.',
    inputSchema: city,
    execute: async ({ city }) => `12 degrees in ${city}`,
  }),
}
