// Run by Node: the addon's answers come while timers of JavaScript go on.
const { exchange } = require(process.argv[2]);
let ticks = 0;
const timer = setInterval(() => ticks++, 1);
Promise.all(["Ada", "Brian", "Grace"].map(exchange)).then(async (answers) => {
  answers.push(await exchange("Edsger"));
  console.log(answers.join("\n"));
  console.log(ticks > 0 ? "the timer went on" : "the timer stood still");
  clearInterval(timer);
});
