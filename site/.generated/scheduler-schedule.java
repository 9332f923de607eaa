@Override
protected void planStep() {
  final Scheduled prompt = nextPrompt();
  if (prompt != null) {
    schedule(prompt, Math.min(prompt.lackingTokens(), limits().maxNumBatchedTokens()));
  } else {
    running().forEach(request -> schedule(request, 1));
  }
}

/** The prompt that is computed, or the first that can be; null to decode. */
private @Nullable Scheduled nextPrompt() {
  for (Scheduled request : running()) {
    if (request.outputTokens() == 0) {
      return request;
    }
  }
  final Scheduled head = head();
  return head != null && admit(head) ? head : null;
}
