'use strict';

// Text that no longer parses.

const { KEYWORDS, typo } = require('./module');

const OPENING = ['(', '[', '{', '${'];
const CLOSING = [')', ']', '}'];

const words = (module, test) => module.tokens.filter((token) => test(module.word(token), token));
const of = (strings) => (word) => strings.includes(word);

exports.SYNTAX = {
  delete_bracket: (module) => words(module, of([...OPENING, ...CLOSING])).map((token) => [token.start, token.end, '']),

  other_bracket: (module, random) => words(module, of(CLOSING)).map((token) => {
    return [token.start, token.end, random.choice(CLOSING.filter((other) => other !== module.word(token)))];
  }),

  double_bracket: (module) => words(module, of([...CLOSING, '('])).map((token) => [token.start, token.end, module.word(token).repeat(2)]),

  delete_quote: (module, random) => module.nodes('StringLiteral').filter((node) => node.end - node.start > 2).map((node) => {
    return random.choice([[node.end - 1, node.end, ''], [node.start, node.start + 1, '']]);
  }),

  delete_backtick: (module, random) => module.nodes('TemplateLiteral').map((node) => {
    return random.choice([[node.end - 1, node.end, ''], [node.start, node.start + 1, '']]);
  }),

  delete_comma: (module) => words(module, of([','])).map((token) => [token.start, token.end, '']),

  semicolon_for_comma: (module) => words(module, of([','])).map((token) => [token.start, token.end, ';']),

  delete_colon: (module) => words(module, of([':'])).map((token) => [token.start, token.end, '']),

  typo_in_keyword: (module, random) => words(module, (word) => KEYWORDS.has(word) && word.length > 1).map((token) => {
    return [token.start, token.end, typo(module.word(token), random)];
  }),

  lost_arrow: (module, random) => words(module, of(['=>'])).map((token) => [token.start, token.end, random.choice(['', '=', '->', '= >'])]),

  assign_for_compare: (module) => words(module, of(['===', '=='])).map((token) => [token.start, token.end, '=']),

  else_if_of_elsewhere: (module, random) => module.nodes('IfStatement').filter((node) => node.alternate?.type === 'IfStatement').map((node) => {
    const start = module.text.lastIndexOf('else', node.alternate.start);
    return [start, node.alternate.start + 2, random.choice(['elif', 'elseif', 'else fi'])];
  }),

  conflict_markers: (module, random) => {
    const statements = module.blocks().flatMap(({ body }) => body);
    const small = statements.filter((node) => module.isWholeLine(node) && module.source(node).split('\n').length <= 8);
    return small.map((node) => {
      const [start, end] = module.withoutLines(node);
      const ours = module.text.slice(start, end);
      const theirs = random.next() < 0.5 ? ours.replace(/\s*$/, ' // changed\n') : '';
      const sides = random.shuffle([ours, theirs]);
      return [start, end, `<<<<<<< HEAD\n${sides[0]}=======\n${sides[1]}>>>>>>> feature\n`];
    });
  },

  delete_token: (module) => module.tokens.map((token) => [token.start, token.end, '']),

  insert_token: (module, random) => {
    const short = module.tokens.map((token) => module.word(token)).filter((word) => word.length < 12);
    return module.tokens.map((token) => [token.start, token.start, `${random.choice(short)} `]);
  },

  swap_tokens: (module) => module.tokens.slice(1).flatMap((right, index) => {
    const left = module.tokens[index];
    const between = module.text.slice(left.end, right.start);
    const [first, second] = [module.word(left), module.word(right)];
    return between.includes('\n') || first === second ? [] : [[left.start, right.end, second + between + first]];
  }),

  slip_of_a_key: (module, random) => words(module, (word) => /^[^\w\s"'`$]+$|^\d+$/.test(word)).map((token) => {
    return [token.start, token.end, random.choice([...module.word(token).repeat(2), ...'\';/=[]\\.,'])];
  }),
};
