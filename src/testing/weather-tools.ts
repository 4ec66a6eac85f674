import { jsonSchema, tool } from 'ai'

/** The argument of the tool. */
export const city = jsonSchema<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
})

/** One tool that runs, for tests of the Vercel AI SDK. */
export const tools = {
  weather: tool({
    description: 'Tells the weather.',
    inputSchema: city,
    execute: async ({ city }) => `12 degrees in ${city}`,
  }),
}
