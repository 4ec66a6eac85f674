import { expect, test } from 'bun:test'
import { inWordsOfForm } from './form-words.ts'

const fields = [
  { name: 'current', label: 'Password so far', value: 'x' },
  { name: 'name', label: 'Name (optional)', value: '' },
  { name: 'email', label: 'Mail address', value: ` ${'A'.repeat(300)}@example.org ` },
]

test('a field is called by its label, at the beginning of a sentence and within it', () => {
  expect(inWordsOfForm("'current' must be given.", fields)).toBe('Password so far must be given.')
  expect(inWordsOfForm("Give 'name' or 'current'.", fields)).toBe('Give “Name” or “Password so far”.')
})

test('a long value is never repeated whole, however the server writes it', () => {
  const message = inWordsOfForm(`"${'a'.repeat(300)}@example.org" is no mail address.`, fields)
  expect(message.length).toBeLessThan(100)
  expect(message).toEndWith('…" is no mail address.')
})

test('a sentence begins with a capital letter, an id or address stays as it is', () => {
  expect(inWordsOfForm('the catalog has no such model.', fields)).toBe('The catalog has no such model.')
  for (const text of ['ada@example.org has $0.', 'hf:a/b is no file.', 'a/b is there already.'])
    expect(inWordsOfForm(text, fields)).toBe(text)
})

test('other words stay as they are', () => {
  expect(inWordsOfForm("There is no voucher 'x'.", fields)).toBe("There is no voucher 'x'.")
})
