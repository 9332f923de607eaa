private static WaitTimes waits(ChatModel model) {
  ChatClient client = ChatClient.create(model);

  ChatResponse response =
      client
          .prompt()
          .user("A story of a cat")
          .options(
              HeadwayChatOptions.builder()
                  .maxTokens(100)
                  .tenant("cats")
                  .queueTimeout(Duration.ofSeconds(2)))
          .call()
          .chatResponse();

  return HeadwayChatMetadata.of(response).orElseThrow().waits();
}
