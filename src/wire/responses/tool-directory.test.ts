import { describe, expect, test } from 'bun:test'
import { joinName, type KnownTool, type ToolAddress, ToolDirectory, toolByName } from './tool-directory.ts'

function known(address: ToolAddress, kind: KnownTool['kind'] = 'function'): KnownTool {
  return { ...address, kind, hasClearMark: false }
}

/** Returns the names that the model sees for these tools, in order. */
function visible(directory: ToolDirectory, ...addresses: ToolAddress[]): string[] {
  for (const address of addresses) directory.offer(known(address), { parameters: {} })
  return directory.offered().map((tool) => tool.name)
}

describe('names that the model sees', () => {
  test('a namespace stands in front, joined by exactly two underscores', () => {
    expect(joinName('mcp__dict', 'look_up')).toBe('mcp__dict__look_up')
    expect(joinName('mcp__dict__', 'look_up')).toBe('mcp__dict__look_up')
  })

  test('characters that models stumble over become underscores', () => {
    expect(joinName('büro app', 'open/file.txt')).toBe('b_ro_app__open_file_txt')
  })

  test('edge case 26: a name longer than 64 is cut and told apart by a digest of the whole pair', () => {
    const first = joinName('mcp__a_rather_long_server_name', `${'x'.repeat(60)}1`)
    const second = joinName('mcp__a_rather_long_server_name', `${'x'.repeat(60)}2`)
    expect(first).toMatch(/^mcp__a_rather_long_server_name__x{23}_[0-9a-f]{8}$/)
    expect(first).toHaveLength(64)
    expect(second).not.toBe(first)
    const directory = new ToolDirectory()
    const address = { namespace: 'mcp__a_rather_long_server_name', name: `${'x'.repeat(60)}1` }
    expect(visible(directory, address)).toEqual([first])
    expect(toolByName(directory.names(), first)).toMatchObject(address)
  })

  test('edge case 25: two tools that look alike get different names, and each is restored', () => {
    const directory = new ToolDirectory()
    const first = { namespace: 'a', name: 'b__c' }
    const second = { namespace: 'a__b', name: 'c' }
    expect(visible(directory, first, second, { name: 'x' })).toEqual(['a__b__c', 'a__b__c_2', 'x'])
    expect(toolByName(directory.names(), 'a__b__c')).toMatchObject(first)
    expect(toolByName(directory.names(), 'a__b__c_2')).toMatchObject(second)
  })

  test('a suffix does not make a name too long, and is never taken twice', () => {
    const directory = new ToolDirectory()
    const names = [...'!?+*%&=~'].map((odd) => ({ namespace: 'n', name: 'y'.repeat(60) + odd }))
    const seen = visible(directory, ...names)
    expect(new Set(seen).size).toBe(8)
    expect(Math.max(...seen.map((name) => name.length))).toBeLessThanOrEqual(64)
  })

  test('many tools that all look alike are named in reasonable time', () => {
    const directory = new ToolDirectory()
    const many = Array.from({ length: 2_000 }, (_, index) => ({
      namespace: 'n',
      name: String.fromCodePoint(0x4e00 + index),
    }))
    expect(new Set(visible(directory, ...many)).size).toBe(2_000)
  })
})

describe('a directory', () => {
  test('a later definition takes the place of an earlier one', () => {
    const directory = new ToolDirectory()
    directory.offer(known({ name: 'f' }), { description: 'old', parameters: {} })
    directory.offer(known({ name: 'g' }), { parameters: {} })
    directory.offer(known({ name: 'f' }, 'custom'), { description: 'new', parameters: {} })
    expect(directory.offered()).toEqual([
      { name: 'f', description: 'new', parameters: {} },
      { name: 'g', parameters: {} },
    ])
    expect(toolByName(directory.names(), 'f')?.kind).toBe('custom')
  })

  test('tools of the history have names and are restored, but are not offered', () => {
    const directory = new ToolDirectory()
    expect(directory.nameInHistory({ namespace: 'mcp__a', name: 'f' }, 'custom')).toBe('mcp__a__f')
    expect(directory.nameInHistory({ name: 'g' }, 'function')).toBe('g')
    expect(directory.offered()).toEqual([])
    expect(directory.offeredName({ namespace: 'mcp__a', name: 'f' })).toBeUndefined()
    expect(toolByName(directory.names(), 'mcp__a__f')).toMatchObject({ namespace: 'mcp__a', name: 'f', kind: 'custom' })
    expect(toolByName(directory.names(), 'g')).toBeUndefined()
  })

  test('a plain name in the history stays as it is, whoever else has it', () => {
    const directory = new ToolDirectory()
    visible(directory, { namespace: 'mcp__a', name: 'f' })
    expect(directory.nameInHistory({ name: 'mcp__a__f' }, 'function')).toBe('mcp__a__f')
  })

  test('other spellings of a name in a namespace are understood where they mean one tool', () => {
    const directory = new ToolDirectory()
    visible(directory, { namespace: 'a', name: 'f' }, { namespace: 'b', name: 'f' }, { namespace: 'b', name: 'g' })
    expect(toolByName(directory.names(), 'a.f')).toMatchObject({ namespace: 'a', name: 'f' })
    expect(toolByName(directory.names(), 'b/f')).toMatchObject({ namespace: 'b', name: 'f' })
    expect(toolByName(directory.names(), 'g')).toMatchObject({ namespace: 'b', name: 'g' })
    expect(toolByName(directory.names(), 'f')).toBeUndefined()
    expect(toolByName(directory.names(), 'c.f')).toBeUndefined()
  })

  test('a tool that has the very name comes before other spellings', () => {
    const directory = new ToolDirectory()
    visible(directory, { namespace: 'b', name: 'g' }, { name: 'g' })
    expect(toolByName(directory.names(), 'g')).toMatchObject({ name: 'g' })
    expect(toolByName(directory.names(), 'g')?.namespace).toBeUndefined()
  })
})
