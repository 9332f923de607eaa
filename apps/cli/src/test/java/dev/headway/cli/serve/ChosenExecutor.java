package dev.headway.cli.serve;

import dev.headway.server.ExecutorChoice;

/** Prints what {@code auto} chooses. */
final class ChosenExecutor {

  private ChosenExecutor() {}

  /** Prints. */
  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) {
    System.out.println(ExecutorChoice.of(ExecutorChoice.Backend.AUTO, 3).describe());
  }
}
