#!/usr/bin/env bun
/**
 * Renders conversations of every shape with every chat template that llama.cpp ships, or those whose names contain a
 * given word, and prints the messages that each template refuses, loses and mixes, and the time.
 */
import { histories } from '../src/testing/histories.ts'
import { templateMatrix } from '../src/testing/template-matrix.ts'
import { openTemplateModels, shippedTemplateNames } from '../src/testing/template-models.ts'
import { markdownTable } from './shared/markdown-table.ts'

const [wanted = ''] = process.argv.slice(2)
const templates = shippedTemplateNames().filter((name) => name.includes(wanted))
const startMs = performance.now()
const models = await openTemplateModels()
const rows = await templateMatrix(models, templates)
await models.dispose()

const shown = rows.map(({ template, abilities, refused, lost, mixed, elapsedMs }) => {
  const { tools, calls, system, repeatsRoles } = abilities
  const speakers = repeatsRoles ? 'any' : 'in turn'
  const counts = [refused.length, lost.length, mixed.length]
  return [template, tools, calls, system, speakers, ...counts, `${Math.round(elapsedMs)} ms`].map(String)
})
const heads = [
  'Template',
  'Tools',
  'Calls a turn',
  'System',
  'Speakers',
  'Refused',
  'Words lost',
  'Thinking in text',
  'Time',
]
console.log(markdownTable(heads, shown, { labels: 5 }).join('\n'))

const problems = rows.flatMap(({ template, refused, lost, mixed }) =>
  [...refused, ...lost, ...mixed].map((text) => `${template}, ${text}`),
)
for (const problem of problems) console.log(problem)
const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
console.log(
  `\n${histories.length} conversations x ${rows.length} templates: ${problems.length} refused, cut or mixed, ${seconds} s`,
)
process.exit(problems.length === 0 ? 0 : 1)
