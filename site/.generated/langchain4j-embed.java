Path folder = Path.of(args[0]);
Model weights = Model.load(folder);
var executor = ReferenceExecutor.builder(weights, new SystemNanoClock()).maxNumSeqs(1);
int[] ends = weights.config().eosTokenIds().stream().mapToInt(id -> id).toArray();
int vocabulary = weights.config().vocabularySize();
EngineTimes times = new EngineTimes(); // with it, answers say when they were queued

try (FileTokenizer tokens = FileTokenizer.open(folder);
    Engine engine =
        HeadwayEngine.builder(executor.numBlocks(64).build()).probe(times).build()) {
  engine.start(Thread.ofPlatform().name("headway").factory());
  var served = new ServedModel("stories", tokens, BuiltInTemplate.PLAIN, ends, vocabulary, 256);
  var first = HeadwayStreamingChatModel.builder().engine(engine).model(served);
  var second = HeadwayChatModel.builder().engine(engine).model(served).engineTimes(times);

  first.build().chat("A story of a cat", new Printer());
  ChatResponse dog = second.build().chat(UserMessage.from("A story of a dog"));
  print(dog);
}
