/** Coloured code: lowlight's tree as nodes. */
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import type { ComponentChildren } from 'preact'

const languages = { bash, c, cpp, css, diff, go, java, javascript, json, python, rust, sql, typescript, xml, yaml }

const lowlight = createLowlight(languages)

export type Highlighted = ComponentChildren

/** Returns the code in colours; undefined for unknown languages. */
export function highlight(code: string, language: string): Highlighted | undefined {
  const name = language.toLowerCase()
  return lowlight.registered(name) ? lowlight.highlight(name, code).children.map(toNode) : undefined
}

type TreeNode = ReturnType<typeof lowlight.highlight>['children'][number]

function toNode(node: TreeNode, index: number): ComponentChildren {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return null
  const { className } = node.properties
  return (
    <span key={index} class={Array.isArray(className) ? className.join(' ') : ''}>
      {node.children.map((child, inner) => toNode(child as TreeNode, inner))}
    </span>
  )
}
