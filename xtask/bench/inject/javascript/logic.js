'use strict';

// Programs that run and do the wrong thing: one small edit each.

const COMPARISONS = {
  '<': ['<=', '>'], '<=': ['<', '>='], '>': ['>=', '<'], '>=': ['>', '<='], '===': ['!=='], '!==': ['==='], '==': ['!='], '!=': ['=='],
};
const OPERATORS = { '+': '-', '-': '+', '*': '+', '/': '*', '%': '/', '&': '|', '|': '&', '<<': '>>', '>>': '<<', '>>>': '>>', '^': '&' };

/** Where the operator of two operands stands. */
function operator(module, node) {
  const at = module.text.indexOf(node.operator, node.left.end);
  return at < node.right.start ? [at, at + node.operator.length] : null;
}

const replaced = (module, node, text) => {
  const span = text && operator(module, node);
  return span ? [[...span, text]] : [];
};

const names = (node, found = new Set()) => {
  for (const [key, value] of Object.entries(node)) {
    if (key === 'loc') continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!child || typeof child.type !== 'string') continue;
      if (child.type === 'VariableDeclarator' && child.id.type === 'Identifier') found.add(child.id.name);
      names(child, found);
    }
  }
  return found;
};

const inside = (module, outer, ...types) => module.nodes(...types).filter((node) => node.start > outer.start && node.end <= outer.end);

exports.LOGIC = {
  other_comparison: (module, random) => module.nodes('BinaryExpression').flatMap((node) => {
    const others = COMPARISONS[node.operator];
    return others ? replaced(module, node, random.choice(others)) : [];
  }),

  other_operator: (module) => module.nodes('BinaryExpression').flatMap((node) => {
    return /Literal/.test(node.left.type) ? [] : replaced(module, node, OPERATORS[node.operator]);
  }),

  off_by_one: (module, random) => [
    ...module.nodes('BinaryExpression').filter((node) => ['+', '-'].includes(node.operator) && node.right.value === 1)
      .map((node) => [node.left.end, node.right.end, '']),
    ...module.nodes('MemberExpression').filter((node) => !node.computed && node.property.name === 'length' && node.parent.type !== 'AssignmentExpression')
      .map((node) => [node.end, node.end, random.choice([' + 1', ' - 1'])]),
  ],

  other_number: (module, random) => module.nodes('NumericLiteral').filter((node) => Number.isInteger(node.value)).map((node) => {
    return [node.start, node.end, node.value > 0 ? String(node.value + random.choice([1, -1, 2])) : '1'];
  }),

  other_truth: (module) => module.nodes('BooleanLiteral').map((node) => [node.start, node.end, String(!node.value)]),

  other_connective: (module) => module.nodes('LogicalExpression').flatMap((node) => {
    return replaced(module, node, { '&&': '||', '||': '&&' }[node.operator]);
  }),

  lost_condition: (module) => module.nodes('LogicalExpression').map((node) => [node.left.end, node.right.end, '']),

  negation: (module) => module.nodes('IfStatement', 'WhileStatement', 'ConditionalExpression').flatMap(({ test }) => {
    if (test.type === 'UnaryExpression' && test.operator === '!') return [[test.start, test.argument.start, '']];
    return ['Identifier', 'MemberExpression', 'CallExpression'].includes(test.type) ? [[test.start, test.start, '!']] : [];
  }),

  other_variable: (module, random) => module.functions().flatMap((node) => {
    const known = [...new Set([...names(node), ...node.params.filter((one) => one.type === 'Identifier').map((one) => one.name)])].sort();
    const uses = inside(module, node, 'Identifier').filter((one) => known.includes(one.name) && one.end - one.start === one.name.length
      && ['BinaryExpression', 'CallExpression', 'MemberExpression', 'ReturnStatement', 'LogicalExpression'].includes(one.parent.type)
      && !(one.parent.type === 'MemberExpression' && one.parent.property === one && !one.parent.computed));
    return known.length > 1 ? uses.map((one) => [one.start, one.end, random.choice(known.filter((name) => name !== one.name))]) : [];
  }),

  other_property: (module, random) => {
    const all = module.nodes('MemberExpression').filter((node) => node.object.type === 'ThisExpression' && !node.computed && node.property.name);
    const known = [...new Set(all.map((node) => node.property.name))].sort();
    if (known.length < 2) return [];
    return all.map(({ property }) => [property.start, property.end, random.choice(known.filter((name) => name !== property.name))]);
  },

  lost_call: (module) => module.nodes('CallExpression').flatMap((node) => {
    if (node.callee.type === 'Identifier' && node.arguments.length === 1 && node.callee.name !== 'require') return [[node.start, node.end, module.source(node.arguments[0])]];
    return node.callee.type === 'MemberExpression' && node.arguments.length === 0 ? [[node.callee.object.end, node.end, '']] : [];
  }),

  other_bound: (module, random) => module.nodes('CallExpression').flatMap((node) => {
    const isSlice = ['slice', 'substr', 'substring', 'splice'].includes(node.callee.property?.name);
    return isSlice ? node.arguments.map((one) => [one.end, one.end, random.choice([' + 1', ' - 1'])]) : [];
  }),

  lost_guard: (module) => module.nodes('IfStatement').filter((node) => {
    const body = node.consequent.type === 'BlockStatement' ? node.consequent.body : [node.consequent];
    const isExit = body.length === 1 && ['ReturnStatement', 'ContinueStatement', 'BreakStatement', 'ThrowStatement'].includes(body[0].type);
    return isExit && !node.alternate && module.isWholeLine(node);
  }).map((node) => module.withoutLines(node)),

  lost_statement: (module) => module.blocks().flatMap(({ body }) => (body.length > 1 ? body : []))
    .filter((node) => node.type === 'ExpressionStatement' && node.parent.type === 'BlockStatement' && module.isWholeLine(node))
    .map((node) => module.withoutLines(node)),

  other_result: (module, random) => module.functions().flatMap((node) => {
    const known = [...names(node)].sort();
    return inside(module, node, 'ReturnStatement').filter((one) => one.argument).map(({ argument }) => {
      return [argument.start, argument.end, random.choice([...known.filter((name) => name !== module.source(argument)), 'null'])];
    });
  }),

  exchanged_operands: (module) => module.nodes('BinaryExpression').filter((node) => ['-', '/', '<', '>', '<=', '>=', '%'].includes(node.operator)).map((node) => {
    const between = module.text.slice(node.left.end, node.right.start);
    return [node.start, node.end, module.source(node.right) + between + module.source(node.left)];
  }),

  statement_moved_out: (module) => module.nodes('ForStatement', 'WhileStatement', 'IfStatement', 'ForOfStatement', 'ForInStatement').flatMap((node) => {
    const block = node.type === 'IfStatement' ? node.consequent : node.body;
    const last = block.type === 'BlockStatement' && block.body.length > 1 ? block.body[block.body.length - 1] : null;
    if (!last || node.alternate || last.type !== 'ExpressionStatement' || !module.isWholeLine(last) || !module.isWholeLine(node)) return [];
    const rest = module.text.slice(module.lineEnd(last.end), node.end);
    return [[module.lineStart(last.start), node.end, `${rest}\n${module.indent(node)}${module.source(last)}`]];
  }),
};
