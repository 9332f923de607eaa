package dev.headway.cli.command;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The directory in which a command makes its output directory. Stateless. */
public final class OutputParent {

  /** Where outputs are by default, which is made. */
  private static final Path OUTPUTS = Path.of("out");

  private OutputParent() {}

  /**
   * Looks for it before any work is done, since a directory that does not exist is rather a
   * misspelt name than one to be made.
   *
   * @param command a command line with what was given
   * @throws FileSystemException if an output directory is in no directory
   */
  public static void require(ParseResult command) throws FileSystemException {
    for (ArgSpec argument : command.matchedArgs()) {
      if (isOutput(argument) && argument.getValue() instanceof Path directory) {
        require(directory);
      }
    }
  }

  /**
   * Asks the same of a file that a command makes, and makes the directory of outputs.
   *
   * @throws IOException if the file is in no directory, or that of outputs cannot be made
   */
  public static void prepare(Path file) throws IOException {
    require(file);
    if (OUTPUTS.equals(file.getParent())) {
      Files.createDirectories(OUTPUTS);
    }
  }

  private static void require(Path directory) throws FileSystemException {
    final Path parent = directory.toAbsolutePath().normalize().getParent();
    if (parent != null && !Files.isDirectory(parent) && !OUTPUTS.equals(directory.getParent())) {
      throw new FileSystemException(
          directory.toString(),
          null,
          "there is no such directory; make it first: mkdir -p " + parent);
    }
  }

  /** {@code --out}, or the word that {@code convert} takes in its place. */
  private static boolean isOutput(ArgSpec argument) {
    return argument.paramLabel().equals("DIR")
        && (argument.hidden()
            || (argument instanceof OptionSpec option
                && List.of(option.names()).contains("--out")));
  }
}
