package dev.headway.serving.tool;

/** An answer that is the arguments of a function which the client named. */
final class NamedCall extends CallText {

  NamedCall(String function) {
    begin(function);
  }

  @Override
  public void push(String text) {
    arguments(text);
  }

  @Override
  public void finish() {}
}
