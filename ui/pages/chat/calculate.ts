/**
 * Returns the value of an expression of numbers, + - * / and parentheses. Throws an Error that names the unreadable
 * place.
 */
export function calculate(expression: string): number {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|[-+*/()]|\S/g) ?? []
  let place = 0

  const sum = (): number => {
    let value = product()
    while (tokens[place] === '+' || tokens[place] === '-') {
      const sign = tokens[place++] === '+' ? 1 : -1
      value += sign * product()
    }
    return value
  }
  const product = (): number => {
    let value = factor()
    while (tokens[place] === '*' || tokens[place] === '/') {
      const isProduct = tokens[place++] === '*'
      const other = factor()
      value = isProduct ? value * other : value / other
    }
    return value
  }
  const factor = (): number => {
    const token = tokens[place++]
    if (token === '-') return -factor()
    if (token === '(') {
      const value = sum()
      if (tokens[place++] !== ')') throw new Error('a parenthesis is not closed')
      return value
    }
    if (token === undefined || !/\d/.test(token)) throw new Error(`"${token ?? 'the end'}" is no number`)
    return Number(token)
  }

  const value = sum()
  if (place < tokens.length) throw new Error(`"${tokens[place]}" is one too many`)
  return value
}
