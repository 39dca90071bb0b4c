//! What the player reads, in English and French.

/// A language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// French.
    French,
}

impl Language {
    /// All languages.
    pub const ALL: [Language; 2] = [Language::English, Language::French];

    /// Its stable name, for settings.
    pub const fn name(self) -> &'static str {
        match self {
            Language::English => "english",
            Language::French => "french",
        }
    }

    /// The language of that name.
    pub fn from_name(name: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.name() == name)
    }

    /// A word or a line in this language.
    pub const fn say(self, word: Word) -> &'static str {
        let (english, french) = word.both();
        match self {
            Language::English => english,
            Language::French => french,
        }
    }
}

macro_rules! words {
    ($($word:ident = $english:literal, $french:literal;)+) => {
        /// Something that the player reads.
        #[allow(missing_docs, reason = "each is documented by what it says")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Word { $($word,)+ }

        impl Word {
            /// All of them.
            pub const ALL: &'static [Word] = &[$(Word::$word,)+];

            const fn both(self) -> (&'static str, &'static str) {
                match self { $(Word::$word => ($english, $french),)+ }
            }
        }
    };
}

words! {
    Play = "Play now", "Jouer";
    Lobbies = "Lobbies", "Salons";
    Create = "New lobby", "Nouveau salon";
    EnterCode = "Enter a code", "Entrer un code";
    Name = "Name", "Nom";
    Options = "Options", "Options";
    Scores = "High scores", "Meilleurs scores";
    Back = "Back", "Retour";
    Connecting = "Connecting …", "Connexion …";
    Connected = "Connected", "Connecté";
    Offline = "No connection", "Hors ligne";
    LostTitle = "CONNECTION LOST", "CONNEXION PERDUE";
    LostLine = "Trying again. Your seat is kept for a minute.", "Nouvel essai. Votre place est gardée une minute.";
    Music = "Music", "Musique";
    Sound = "Sound", "Sons";
    Shake = "Screen shake", "Secousses";
    Flashes = "Flashes", "Éclairs";
    Palette = "Colours", "Couleurs";
    PaletteDefault = "as drawn", "d'origine";
    PaletteRedGreen = "red/green", "rouge/vert";
    PaletteBlueYellow = "blue/yellow", "bleu/jaune";
    TextSize = "Text", "Texte";
    TextNormal = "normal", "normal";
    TextLarge = "large", "grand";
    OneButton = "One button", "Un seul bouton";
    Slower = "Slower when alone", "Plus lent en solo";
    Captions = "Captions", "Sous-titres";
    Language = "Language", "Langue";
    ThisLanguage = "English", "Français";
    Keys = "Keys", "Touches";
    PressAKey = "press a key", "appuyez";
    KeyLeft = "Left", "Gauche";
    KeyRight = "Right", "Droite";
    KeyUp = "Up", "Haut";
    KeyDown = "Down", "Bas";
    KeyFire = "Fire", "Tir";
    KeyForce = "Force", "Force";
    KeyPause = "Menu", "Menu";
    KeyGraph = "Net graph", "Réseau";
    KeyChat = "Chat", "Discuter";
    KeyFullScreen = "Full screen", "Plein écran";
    AsBefore = "As at first", "Par défaut";
    Yes = "yes", "oui";
    No = "no", "non";
    Stage = "Stage", "Niveau";
    Endless = "endless", "sans fin";
    RuleSet = "After a loss", "Après une perte";
    Coop = "return here", "retour ici";
    Arcade = "checkpoint", "point de contrôle";
    FriendlyFire = "Friendly fire", "Tir ami";
    Lives = "Lives", "Vies";
    Private = "Private", "Privé";
    CreateNow = "Create it", "Créer";
    Refresh = "Refresh", "Actualiser";
    NoLobbies = "No lobby is open. Make one!", "Aucun salon. Créez-en un !";
    Watch = "watch", "regarder";
    Join = "join", "rejoindre";
    Code = "Code", "Code";
    Room = "Lobby", "Salon";
    Ready = "Ready", "Prêt";
    NotReady = "Not ready yet", "Pas encore prêt";
    Start = "Start the game", "Commencer";
    Share = "Share the code", "Partager le code";
    Leave = "Leave", "Quitter";
    Away = "away", "absent";
    Watchers = "watching", "spectateurs";
    FreeSeat = "free", "libre";
    Paused = "Paused", "Pause";
    PressToGoOn = "Paused. Press a key.", "Pause. Appuyez sur une touche.";
    StandsStill = "The game stands still.", "La partie est arrêtée.";
    GoesOn = "The game goes on meanwhile.", "La partie continue.";
    Resume = "Go on", "Reprendre";
    FullScreen = "Full screen", "Plein écran";
    GameOver = "GAME OVER", "PARTIE FINIE";
    StageClear = "STAGE CLEAR", "NIVEAU RÉUSSI";
    NextSoon = "It goes on in a moment.", "La suite arrive.";
    AgainSoon = "A new game begins in a moment.", "Une nouvelle partie commence.";
    Waiting = "WAITING", "EN ATTENTE";
    Spectating = "Watching", "Spectateur";
    OutOfLives = "No lives left: watching the others", "Plus de vies : vous regardez";
    ShipLost = "Your ship is lost", "Votre vaisseau est perdu";
    Returning = "Your ship returns …", "Votre vaisseau revient …";
    NoScores = "No scores yet", "Pas encore de scores";
    Full = "That lobby is full", "Ce salon est complet";
    NoLobby = "There is no such lobby", "Ce salon n'existe pas";
    NoStage = "There is no such stage", "Ce niveau n'existe pas";
    NoRoom = "The server has no room", "Le serveur est complet";
    TooLate = "The seat is no longer kept", "La place n'est plus gardée";
    TooFast = "Not so fast", "Pas si vite";
    NotNow = "Not now", "Pas maintenant";
    Version = "Client and server differ: reload", "Versions différentes : rechargez";
    HintMove = "choose", "choisir";
    HintAccept = "accept", "valider";
    HintBack = "back", "retour";
    HintFly = "fly", "voler";
    CaptionBeam = "[beam]", "[rayon]";
    CaptionExplosion = "[explosion]", "[explosion]";
    CaptionItem = "[item]", "[objet]";
    CaptionForce = "[Force]", "[Force]";
    CaptionDeath = "[ship lost]", "[vaisseau perdu]";
    CaptionExtraLife = "[extra life]", "[vie en plus]";
    CaptionWarning = "[warning]", "[alerte]";
    CaptionCharge = "[beam charging]", "[charge du rayon]";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Picture;

    #[test]
    fn everything_can_be_said_in_every_language_and_fits_the_picture() {
        for &word in Word::ALL {
            for language in Language::ALL {
                let text = language.say(word);
                assert!(!text.is_empty() && Picture::text_width(text) < 400, "{text}");
            }
        }
        assert_eq!(Language::from_name("klingon"), None);
    }
}
