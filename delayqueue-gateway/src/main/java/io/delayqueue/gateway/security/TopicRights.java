package io.delayqueue.gateway.security;

import java.util.List;
import java.util.Set;
import org.springframework.util.PatternMatchUtils;

/**
 * The same rights on all topics that match one of some patterns.
 *
 * @param rights the rights
 * @param topics names of topics, in which {@code *} stands for any characters
 */
public record TopicRights(Set<Right> rights, List<String> topics) implements Rights {

    public TopicRights {
        rights = Set.copyOf(rights);
        topics = List.copyOf(topics);
    }

    @Override
    public boolean allow(Right right, String topic) {
        return rights.contains(right)
                && topics.stream().anyMatch(pattern -> PatternMatchUtils.simpleMatch(pattern, topic));
    }
}
