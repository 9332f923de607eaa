try (TokenStream stream = TokenStream.submit(engine, request, 1_024)) { // tokens buffered
  for (TokenStream.Token token : stream) {
    client.accept(token.tokenId()); // may be as slow as the client is
  }
  return stream.handles().getFirst().await();
} // a client that fails or is too slow cancels its request, and no other
