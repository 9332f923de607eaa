package dev.headway.spring.boot;

import dev.headway.api.engine.Engine;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.ServedModel;
import dev.headway.serving.tool.ToolParser;
import dev.headway.spring.ai.HeadwayChatModel;
import dev.headway.spring.ai.HeadwayChatOptions;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Spring AI's chat model on the engine, where headway-spring-ai and Spring AI 2 are. */
@AutoConfiguration(
    after = {HeadwayAutoConfiguration.class, ServingAutoConfiguration.class},
    beforeName =
        "org.springframework.ai.model.chat.client.autoconfigure.ChatClientAutoConfiguration")
@ConditionalOnClass(
    value = {HeadwayChatModel.class, ChatModel.class},
    name = "org.springframework.ai.model.tool.DefaultStructuredOutputChatOptions") // none in 1.1
@ConditionalOnBean({Engine.class, ServedModel.class})
class ChatModelAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(ChatModel.class)
  HeadwayChatModel headwayChatModel(
      Engine engine,
      ServedModel model,
      ObjectProvider<EngineTimes> times,
      ObjectProvider<ToolParser> toolParser,
      ObjectProvider<HeadwayChatOptions> defaults) {
    final HeadwayChatModel.Builder builder = HeadwayChatModel.builder().engine(engine).model(model);
    times.ifUnique(builder::engineTimes);
    toolParser.ifUnique(builder::toolParser);
    defaults.ifUnique(builder::defaultOptions);
    return builder.build();
  }
}
