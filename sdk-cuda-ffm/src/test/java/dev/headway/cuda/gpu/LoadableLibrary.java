package dev.headway.cuda.gpu;

import dev.headway.cuda.driver.NativeLibrary;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * Prints the first of the libraries on standard input, a path a line, that the loader takes, and on
 * standard error why it took none before it.
 */
final class LoadableLibrary {
  private LoadableLibrary() {}

  public static void main(String[] args) throws IOException {
    try (BufferedReader paths =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String path = paths.readLine(); path != null; path = paths.readLine()) {
        final NativeLibrary library = NativeLibrary.open(path);
        if (library.isLoaded()) {
          System.out.println(path);
          return;
        }
        System.err.println(library.failure());
      }
    }
  }
}
