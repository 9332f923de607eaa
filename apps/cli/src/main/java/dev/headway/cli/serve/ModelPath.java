package dev.headway.cli.serve;

import dev.headway.executor.model.Model;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a model is, on the command line. Stateless. */
final class ModelPath {

  private ModelPath() {}

  /**
   * Refuses what is neither a folder nor a .gguf file.
   *
   * @param name what the command calls it
   * @param value how the message shows it
   * @throws IOException if it is neither
   */
  static void require(String name, String value, Path model) throws IOException {
    if (!Files.isDirectory(model) && Model.folderOf(model).equals(model)) {
      throw new IOException(
          name
              + " must be a folder or a .gguf file"
              + (Files.exists(model) ? "" : " that exists")
              + ": "
              + value
              + model);
    }
  }
}
