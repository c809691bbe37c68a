// What the page says, in both languages.

const reasons = new Map([
  ["division by zero", "除数为零"],
  ["no unknown in the equation", "方程里没有未知数"],
  ["the equations contradict each other", "方程互相矛盾"],
  ["the equations leave an unknown open", "方程不能确定未知数"],
  ["no real solution", "没有实数解"],
  ["the equations are beyond the solver", "方程超出了求解范围"],
]);

export const WORDS = {
  zh: {
    skip: "跳到题目",
    tagline: "一步一步解应用题",
    model: "模型",
    language: "语言",
    ask: "写一道应用题",
    placeholder: "例如：小红有5个苹果，又买了7个，一共有多少个？",
    solve: "解题",
    keys: "按 Enter 解题，Shift + Enter 换行；按 ← → 看每一步。",
    key: "这台服务器需要 API 密钥",
    unlock: "使用",
    examples: "试试这些题",
    answer: "答案",
    noAnswer: "没有解出来",
    sure: (share) => `把握 ${share}`,
    explanation: "讲解",
    player: "解题过程",
    reading: "题目",
    stack: "栈",
    choices: "这一步的选择",
    gates: "依据来自",
    legend: "颜色越浓的词，这一步越受关注；带下划线的是数量。",
    others: "其他想法",
    back: "上一步",
    forward: "下一步",
    play: "播放",
    pause: "暂停",
    scrubber: "步骤",
    position: (step, total) => `${step} / ${total}`,
    nothing: "空",
    gateGroups: ["选择操作", "选择数"],
    gateNames: ["已做的", "栈顶", "题目"],
    reason: (reason) => reasons.get(reason.split(":")[0]) ?? "没有答案",
    faults: {
      unreadable_text: "这段文字读不了：题目不能是空的，也不能有控制字符。",
      invalid_request: "请求不对：题目最多 2000 个字。",
      unauthorized: "需要 API 密钥。",
      unknown_model: "没有这个模型。",
      busy: "服务器正忙，请稍后再试。",
      timeout: "超时了，请再试一次。",
      internal_error: "服务器出错了。",
    },
    unreachable: "连不上服务器。",
    unreachableHint: "看看服务器是否还在运行，再试一次。",
    actions: { generate: "设未知数", push: (symbol) => `放入 ${symbol}`, add: "相加 +", subtract: "相减 −", multiply: "相乘 ×", divide: "相除 ÷", equal: "列等式 =" },
    captions: {
      generate: "设一个未知数。",
      push: (symbol) => `把 ${symbol} 放到最上面。`,
      add: "把最上面的两块相加。",
      subtract: "从下面一块减去上面一块。",
      multiply: "把最上面的两块相乘。",
      divide: "用下面一块除以上面一块。",
      equal: "最上面的两块相等：方程完成。",
    },
  },
  en: {
    skip: "Skip to the problem",
    tagline: "Word problems, step by step",
    model: "Model",
    language: "Language",
    ask: "Write a word problem",
    placeholder: "For example: 小红有5个苹果，又买了7个，一共有多少个？",
    solve: "Solve",
    keys: "Enter solves, Shift + Enter begins a new line; ← → walk through the steps.",
    key: "This server needs an API key",
    unlock: "Use it",
    examples: "Try one of these",
    answer: "Answer",
    noAnswer: "Not solved",
    sure: (share) => `${share} sure`,
    explanation: "In words",
    player: "How it was solved",
    reading: "Problem",
    stack: "Stack",
    choices: "Choices at this step",
    gates: "Decided by",
    legend: "The stronger the colour of a word, the more this step attends to it; quantities are underlined.",
    others: "Other ideas",
    back: "Step back",
    forward: "Step forward",
    play: "Play",
    pause: "Pause",
    scrubber: "Step",
    position: (step, total) => `${step} / ${total}`,
    nothing: "empty",
    gateGroups: ["Action", "Operand"],
    gateNames: ["so far", "stack", "text"],
    reason: (reason) => reason,
    faults: {},
    unreachable: "The server cannot be reached.",
    unreachableHint: "Check that it is still running, then try again.",
    actions: { generate: "new unknown", push: (symbol) => `push ${symbol}`, add: "add +", subtract: "subtract −", multiply: "multiply ×", divide: "divide ÷", equal: "equate =" },
    captions: {
      generate: "Name an unknown.",
      push: (symbol) => `Put ${symbol} on top.`,
      add: "Add the two on top.",
      subtract: "Subtract the top one from the one below.",
      multiply: "Multiply the two on top.",
      divide: "Divide the one below by the top one.",
      equal: "The two on top are equal: the equation is complete.",
    },
  },
};

// Fill in every element that names its words.
export function speak(language) {
  const words = WORDS[language];
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = words[element.dataset.word];
  document.getElementById("problem").placeholder = words.placeholder;
  document.getElementById("scrubber").setAttribute("aria-label", words.scrubber);
  for (const name of ["back", "forward"]) {
    document.getElementById(name).setAttribute("aria-label", words[name]);
    document.getElementById(name).title = words[name];
  }
}
