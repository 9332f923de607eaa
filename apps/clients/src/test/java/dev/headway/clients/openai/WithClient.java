package dev.headway.clients.openai;

import com.openai.client.OpenAIClient;
import dev.headway.clients.Servers;
import dev.headway.clients.Way;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;

/** A client of the server with the model, a new one for each test. */
abstract class WithClient {

  @Parameter Way way;

  OpenAIClient client;

  @BeforeEach
  final void connect(Servers servers) {
    client = Connection.open(servers.models(way));
  }

  @AfterEach
  final void disconnect() {
    client.close();
  }
}
