private static class Printer implements StreamingChatResponseHandler {
  @Override
  public void onPartialResponse(String text) {
    System.out.print(text);
  }

  @Override
  public void onCompleteResponse(ChatResponse response) {
    print(response);
  }

  @Override
  public void onError(Throwable error) {
    System.err.println(error);
  }
}

private static void print(ChatResponse response) {
  var metadata = (HeadwayChatResponseMetadata) response.metadata();
  double firstMs = (metadata.firstTokenNs().orElseThrow() - metadata.arrivalNs()) / 1e6;
  System.out.printf("%n%s: first token after %.1f ms", response.tokenUsage(), firstMs);
  System.out.printf(", waited %s%n", metadata.waits());
}
